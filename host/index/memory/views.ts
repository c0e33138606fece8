import type { IndexView } from '../../../bindings/index-types.js';
import type { SearchRule } from '../../../bindings/rules/rule.js';

/** An index that cannot be read, with the reason. */
export interface DamagedIndex {
  damage: string;
}

/** Indexes as they are from `version` on; null: the index was deleted. */
export interface ViewUpdate {
  type: 'views';
  version: number;
  /** All memories of the process, with their sizes in bytes. */
  memories: WebAssembly.Memory[];
  sizes: number[];
  views: [uid: string, view: IndexView | DamagedIndex | null][];
  /** The dynamic search rules by ascending creation date, if they have changed. */
  rules?: readonly SearchRule[];
}

/** The threads that read indexes, as seen by the code that publishes and releases states. */
export interface ViewReaders {
  publish(update: ViewUpdate): void;
  /** The oldest version that a reader is using; Infinity when there is none. */
  oldestReader(): number;
}
