import { parentPort } from 'node:worker_threads';
import { loadModel } from './load.js';
import { type LocalModel, LocalModelError } from './model.js';
import type { ThreadAnswer, ThreadRequest } from './thread.js';

/** Models of this thread by folder, each loaded when it is first used. */
const models = new Map<string, Promise<LocalModel>>();

function modelOf({ place }: ThreadRequest): Promise<LocalModel> {
  const key = JSON.stringify(place);
  let model = models.get(key);
  if (!model) {
    model = loadModel(place);
    models.set(key, model);
    // The next request tries again, so that the server need not be restarted once the cause is fixed.
    model.catch(() => models.delete(key));
  }
  return model;
}

async function answer(request: ThreadRequest): Promise<ThreadAnswer> {
  try {
    const model = await modelOf(request);
    const { dimensions, isFast } = model;
    return { ok: true, dimensions, isFast, values: await model.embed(request.texts) };
  } catch (error) {
    if (!(error instanceof LocalModelError)) console.error(error);
    return { ok: false, message: (error as Error).message };
  }
}

parentPort?.on('message', async (request: ThreadRequest) => {
  const result = await answer(request);
  parentPort?.postMessage(result, result.ok ? [result.values.buffer as ArrayBuffer] : []);
});
