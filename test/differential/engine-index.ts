import { SegmentBuilder } from '../../bindings/engine/builder.js';
import { builderConfig } from '../../bindings/engine/builder-config.js';
import { privateInstance } from '../../bindings/engine/instance.js';
import type { IndexSettings } from '../../bindings/index-types.js';
import { LocalIndex, type LocalIndexOptions, type LocalSegment } from '../../bindings/local-index.js';
import { plainModule } from '../../bindings/test/engine.js';

/** A document with its JSON text; the text of its member `id` is its primary key. */
export interface KeyedDocument {
  internalId: number;
  json: string;
}

/** How documents are spread over segments and memories. */
export interface Spread {
  segments: number;
  memories: number;
}

const PRIMARY_KEY = 'id';
const encoder = new TextEncoder();

/** The engine, ready to build and search small indexes, without a server around it. */
export class EngineBench {
  readonly module = plainModule();
  readonly #builder = privateInstance(this.module);

  /** Builds an index and opens it; see {@link files}. */
  index(
    settings: IndexSettings,
    documents: readonly KeyedDocument[],
    spread: Spread,
    deleted?: ReadonlySet<number>,
    cacheBytes?: number,
  ): LocalIndex {
    const files = this.files(settings, documents, spread, deleted);
    return new LocalIndex(this.module, { ...files, ...(cacheBytes === undefined ? {} : { cacheBytes }) });
  }

  /**
   * Builds the files of an index. The documents come by ascending internal id and are cut into runs of equal length, a segment
   * each; those of `deleted` are built in and then hidden by tombstones.
   */
  files(
    settings: IndexSettings,
    documents: readonly KeyedDocument[],
    spread: Spread,
    deleted: ReadonlySet<number> = new Set(),
  ): LocalIndexOptions {
    const fields: string[] = [];
    const perSegment = Math.max(1, Math.ceil(documents.length / spread.segments));
    const segments: LocalSegment[] = [];
    for (let from = 0; from < documents.length; from += perSegment) {
      const own = documents.slice(from, from + perSegment);
      const file = this.#segment(settings, own, fields);
      const memory = segments.length % spread.memories;
      segments.push({ file, memory, ...tombstonesOf(own, deleted) });
    }
    return { uid: 'case', primaryKey: PRIMARY_KEY, settings, fields, segments };
  }

  /** The bytes of a segment file; `fields` grows by the paths it brings. */
  #segment(settings: IndexSettings, documents: readonly KeyedDocument[], fields: string[]): Uint8Array {
    const builder = new SegmentBuilder(this.#builder, builderConfig(settings, fields, PRIMARY_KEY));
    for (const { internalId, json } of documents) {
      builder.add(internalId, encoder.encode(String(JSON.parse(json)[PRIMARY_KEY])), encoder.encode(json));
    }
    fields.push(...builder.fields.slice(fields.length));
    const { pieces } = builder.finishInMemory();
    return Buffer.concat(pieces);
  }
}

function tombstonesOf(documents: readonly KeyedDocument[], deleted: ReadonlySet<number>): Pick<LocalSegment, 'tombstones'> {
  if (!documents.some(({ internalId }) => deleted.has(internalId))) return {};
  const tombstones = new Uint8Array(Math.ceil(documents.length / 8));
  for (const [local, { internalId }] of documents.entries()) {
    if (deleted.has(internalId)) tombstones[local >> 3]! |= 1 << (local & 7);
  }
  return { tombstones };
}
