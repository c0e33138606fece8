import type { TaskRecord } from '../../../tasks/task.js';

/** What tasks make of an index: the marks of the operations that were applied to it, in order, and a setting. */
export interface Content {
  marks: string[];
  cutoff: number | null;
}

/** The mark that an addition leaves: the file that its payload is gathered in. */
export const markOf = (uid: number) => `payload-${uid}`;

/**
 * The indexes after these tasks, had each of them been done alone, in the order of their uids. Those that did not succeed do nothing, but
 * one that may create its index may have done so before it failed: that shows where a later one needs the index.
 */
export function replay(tasks: Iterable<{ task: TaskRecord; succeeded: boolean }>): Map<string, Content> {
  const indexes = new Indexes();
  for (const { task, succeeded } of [...tasks].sort((a, b) => a.task.uid - b.task.uid)) {
    const { uid, indexUid, work } = task;
    // runs before older tasks that wait: that it found its index shows nothing about them
    if (work?.kind === 'indexCompaction') continue;
    const creates = work?.kind === 'indexCreation' || (work !== null && 'createsIndex' in work && work.createsIndex);
    if (!succeeded) {
      if (creates && work?.kind !== 'indexCreation') indexes.mayHave(indexUid!);
      continue;
    }
    const content = indexUid === null ? undefined : creates ? indexes.make(indexUid) : indexes.get(indexUid);
    switch (work?.kind) {
      case 'import':
        content?.marks.push(markOf(uid));
        break;
      case 'deleteByIds':
        // nothing is deleted where nothing is
        if (content && content.marks.length > 0) content.marks.push(work.ids[0]!);
        break;
      case 'settings':
        if (content) content.cutoff = work.patch.searchCutoffMs as number;
        break;
      case 'clear':
        if (content) content.marks = [];
        break;
      case 'indexDeletion':
        indexes.delete(indexUid!);
        break;
      case 'indexUpdate':
        if (work.newUid !== null) indexes.move([[indexUid!, work.newUid]]);
        break;
      case 'indexSwap':
        for (const { indexes: pair, rename } of work.swaps) indexes.move(rename ? [pair] : [pair, [pair[1], pair[0]]]);
    }
  }
  return indexes.all;
}

class Indexes {
  readonly all = new Map<string, Content>();
  readonly #possible = new Set<string>();

  mayHave(uid: string): void {
    if (!this.all.has(uid)) this.#possible.add(uid);
  }

  get(uid: string): Content | undefined {
    return this.#possible.has(uid) ? this.make(uid) : this.all.get(uid);
  }

  make(uid: string): Content {
    const content = this.all.get(uid) ?? { marks: [], cutoff: null };
    this.#possible.delete(uid);
    this.all.set(uid, content);
    return content;
  }

  delete(uid: string): void {
    this.all.delete(uid);
    this.#possible.delete(uid);
  }

  move(pairs: readonly (readonly [from: string, to: string])[]): void {
    const contents = pairs.map(([from]) => this.get(from));
    for (const [from] of pairs) this.delete(from);
    for (const [i, [, to]] of pairs.entries()) {
      const content = contents[i];
      if (content) this.all.set(to, content);
    }
  }
}
