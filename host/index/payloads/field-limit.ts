import { SegmentBuilder } from '../../../bindings/engine/builder.js';
import { builderConfig } from '../../../bindings/engine/builder-config.js';
import type { EngineInstance } from '../../../bindings/engine/instance.js';
import type { ApplyInput } from '../build/apply.js';
import { PayloadFiles } from './payload.js';

/**
 * The first addition whose documents bring an index beyond the limit of field paths, or -1. Called only when that has happened: it walks
 * all documents of the batch.
 * @param instance on which nothing is built now
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
