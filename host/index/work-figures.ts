import type { Part } from './settings/settings.js';

/** What work beside the writing of new documents an index has caused since the launch. */
export interface IndexWork {
  /** Merges that ended, the documents that they wrote anew, and the seconds that they took. */
  merges: number;
  mergedDocuments: number;
  mergeSeconds: number;
  isMerging: boolean;
  /** Changes of settings for which the part was built anew, or dropped. */
  rebuilds: Readonly<Record<Part, number>>;
}

const NONE: Readonly<IndexWork> = {
  merges: 0,
  mergedDocuments: 0,
  mergeSeconds: 0,
  isMerging: false,
  rebuilds: { words: 0, columns: 0, vectors: 0 },
};

/** Counts of indexes by uid. An index that is renamed or made again begins anew. */
export class WorkFigures {
  readonly #byIndex = new Map<string, IndexWork>();

  /** @param exists tells whether there is such an index now */
  constructor(private readonly exists: (uid: string) => boolean) {}

  of(uid: string): Readonly<IndexWork> {
    return this.#byIndex.get(uid) ?? NONE;
  }

  /** A merge of an index begins; the returned function ends it. `documents`: written anew. */
  merge(uid: string): (documents: number) => void {
    const work = this.#work(uid);
    const start = performance.now();
    work.isMerging = true;
    return (documents) => {
      work.isMerging = false;
      work.merges++;
      work.mergedDocuments += documents;
      work.mergeSeconds += (performance.now() - start) / 1000;
    };
  }

  /** These parts of the segments of an index were built anew. */
  rebuilt(uid: string, parts: readonly Part[]): void {
    const work = this.#work(uid);
    const counted = parts.map((part) => [part, work.rebuilds[part] + 1]);
    work.rebuilds = { ...work.rebuilds, ...Object.fromEntries(counted) };
  }

  #work(uid: string): IndexWork {
    for (const known of this.#byIndex.keys()) if (!this.exists(known)) this.#byIndex.delete(known);
    let work = this.#byIndex.get(uid);
    if (!work) {
      work = { ...NONE };
      this.#byIndex.set(uid, work);
    }
    return work;
  }
}
