import t from 'tap';
import { QueryCache } from '../../embedders/query-cache.js';

const VECTOR = Float32Array.of(1, 2);

/** A model that answers on command, and can be aborted. */
function slowModel() {
  const calls: { answer: () => void; signal: AbortSignal }[] = [];
  const embed = (signal: AbortSignal) =>
    new Promise<Float32Array>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
      calls.push({ answer: () => resolve(VECTOR), signal });
    });
  return { calls, embed };
}

t.test('requests for the same query share a call, and each can be aborted alone', async (t) => {
  const cache = new QueryCache(2);
  const { calls, embed } = slowModel();
  const [impatient, patient] = [new AbortController(), new AbortController()];
  const first = cache.get('a', impatient.signal, embed);
  const second = cache.get('a', patient.signal, embed);
  t.equal(calls.length, 1);
  impatient.abort(new Error('late'));
  await t.rejects(first, /late/);
  t.notOk(calls[0]!.signal.aborted, 'one still waits');
  calls[0]!.answer();
  t.equal(await second, VECTOR);
  t.equal(await cache.get('a', patient.signal, embed), VECTOR);
  t.equal(calls.length, 1, 'it is kept');
});

t.test('the call is aborted with its last request, and the next request makes a new one', async (t) => {
  const cache = new QueryCache(2);
  const { calls, embed } = slowModel();
  const impatient = new AbortController();
  const first = cache.get('a', impatient.signal, embed);
  impatient.abort(new Error('late'));
  await t.rejects(first, /late/);
  t.ok(calls[0]!.signal.aborted);
  const next = cache.get('a', new AbortController().signal, embed);
  t.equal(calls.length, 2);
  calls[1]!.answer();
  t.equal(await next, VECTOR);
});

t.test('the least recently used entry is evicted first; failures are not cached', async (t) => {
  const cache = new QueryCache(2);
  const { signal } = new AbortController();
  const asked: string[] = [];
  const get = (key: string) =>
    cache.get(key, signal, async () => {
      asked.push(key);
      return VECTOR;
    });
  for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) await get(key);
  t.same(asked, ['a', 'b', 'c', 'b']);
  const fail = () => cache.get('x', signal, () => Promise.reject(new Error('no')));
  await t.rejects(fail(), /no/);
  await t.rejects(fail(), /no/);
});
