import { SegmentBuilder } from '../../../../bindings/engine/builder.js';
import { builderConfig } from '../../../../bindings/engine/builder-config.js';
import type { EngineInstance } from '../../../../bindings/engine/instance.js';
import { PayloadFiles } from '../../payloads/payload-files.js';
import type { ApplyInput } from './batch-job.js';

/**
 * The first addition whose documents exceed the limit of field paths of an index, or -1. Only called after the limit was
 * exceeded, because it walks all documents of the batch.
 * @param instance an instance that is not building a segment
 */
export function firstBeyondFieldLimit(
  instance: EngineInstance,
  { view, operations, payloads }: ApplyInput,
  refused: ReadonlyMap<number, unknown>,
): number {
  const builder = new SegmentBuilder(instance, builderConfig(view.settings, view.fields, view.primaryKey ?? ''));
  const files = new PayloadFiles(payloads);
  try {
    for (const [index, operation] of operations.entries()) {
      if (operation.type !== 'add' || refused.has(index)) continue;
      const payload = files.reader(operation.file, operation.at);
      for (let document = 0; document < payload.count; document++) {
        if (!builder.learn(payload.document(document))) return index;
      }
    }
    return -1;
  } finally {
    files.close();
    builder.dispose();
  }
}
