import type { IndexSettings } from '../../bindings/index-types.js';

/** A segment file, as listed in the manifest of its index. */
export interface StoredSegment {
  /** Unique within the database. */
  id: number;
  /** File name in the folder of segments. */
  file: string;
  docCount: number;
  /** Documents without a tombstone. */
  liveCount: number;
  /** Bytes at the beginning of the file that a server loads into memory. */
  residentLength: number;
  fileLength: number;
  /** Bytes of the documents before compression, including deleted ones. */
  rawBytes: number;
}

/** First and last internal id of a range. */
export type IdRange = [from: number, to: number];

/** Everything durable about an index except its segment files and tombstones; immutable once committed. */
export interface IndexRecord {
  uid: string;
  /** RFC 3339. */
  createdAt: string;
  updatedAt: string;
  primaryKey: string | null;
  settings: IndexSettings;
  /** Field id -> path, in the order of first appearance; entries are never removed. */
  fields: string[];
  segments: StoredSegment[];
  /** The internal id after the greatest one in use. */
  nextInternalId: number;
  /** Ids below {@link nextInternalId} that no document has: ascending, disjoint ranges. */
  freeIds: IdRange[];
  stats: IndexStats;
}

export interface IndexStats {
  documents: number;
  /** Bytes of the live documents as JSON. */
  rawBytes: number;
  /** Top-level field -> number of documents that have it. */
  fieldDistribution: Record<string, number>;
  /** Vectors of all embedders. */
  embeddings: number;
  /** Documents with at least one vector. */
  embeddedDocuments: number;
}
