import type { Part } from './settings/settings.js';

/** Background work that an index has caused since the launch. */
export interface IndexWork {
  /** Merges that ended, documents rewritten by them, and their duration in seconds. */
  merges: number;
  mergedDocuments: number;
  mergeSeconds: number;
  isMerging: boolean;
  /** Changes of settings that rebuilt or dropped each part of the segments. */
  rebuilds: Readonly<Record<Part, number>>;
}

const NONE: Readonly<IndexWork> = {
  merges: 0,
  mergedDocuments: 0,
  mergeSeconds: 0,
  isMerging: false,
  rebuilds: { words: 0, columns: 0, vectors: 0 },
};

/** Counters by index uid. They start again when an index is renamed or recreated. */
export class WorkMetrics {
  readonly #byIndex = new Map<string, IndexWork>();

  /** @param exists whether an index with this uid exists now */
  constructor(private readonly exists: (uid: string) => boolean) {}

  of(uid: string): Readonly<IndexWork> {
    return this.#byIndex.get(uid) ?? NONE;
  }

  /** Called when a merge begins; the returned function ends it. `documents`: number of rewritten documents. */
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

  /** Counts a rebuild of these parts of an index. */
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
