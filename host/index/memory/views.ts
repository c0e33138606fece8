import type { IndexView } from '../../../bindings/index-types.js';
import type { SearchRule } from '../../../bindings/rules/rule.js';

/** An index that cannot be read, and why. */
export interface DamagedIndex {
  damage: string;
}

/** Indexes as they stand from `version` on; null: the index is gone. */
export interface ViewUpdate {
  type: 'views';
  version: number;
  /** All memories of the process and their sizes in bytes. */
  memories: WebAssembly.Memory[];
  sizes: number[];
  views: [uid: string, view: IndexView | DamagedIndex | null][];
  /** The dynamic search rules in the order of their creation, when they have changed. */
  rules?: readonly SearchRule[];
}

/** The threads that read indexes, as those who publish and release states see them. */
export interface ViewReaders {
  publish(update: ViewUpdate): void;
  /** The oldest version that a reader is at work on; infinite when none is. */
  oldestReader(): number;
}
