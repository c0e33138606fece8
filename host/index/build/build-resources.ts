import type { EngineInstance } from '../../../bindings/engine/instance.js';
import type { IndexReader } from '../../../bindings/engine/segments.js';
import type { IndexView } from '../../../bindings/index-types.js';
import type { SegmentWriterOptions } from './segments/segment-writer.js';

/** Progress steps of jobs, in their order. */
export const STEPS = [
  'starting',
  'running the function',
  'checking documents',
  'indexing documents',
  'writing documents',
] as const;
export type Step = (typeof STEPS)[number];

/** What a job works with in an index thread. */
export interface BuildResources {
  /** Private instance, for building segments and scanning JSON. */
  instance: EngineInstance;
  /** Opens an index in the shared memories, until the end of the job. */
  open(view: IndexView): IndexReader;
  writerOptions: Pick<SegmentWriterOptions, 'folder' | 'nextId' | 'memoryBudget' | 'provideWordList' | 'onWrite'>;
  progress(step: Step, finished: number, total: number): void;
}
