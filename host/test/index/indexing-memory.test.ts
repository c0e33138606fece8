import t, { type Test } from 'tap';
import { seededRandom } from '../../../bindings/test/random.js';
import { MIN_INDEXING_MEMORY } from '../../options/table.js';
import { request } from '../server.js';
import { testFolder } from '../support/folders.js';
import { kill, launchProcess } from '../support/process.js';
import { privateMemory } from '../support/process-memory.js';

/** NDJSON of documents with some long and many short members, of a vocabulary that grows. */
function payload(bytes: number, seed = 18): Buffer {
  const random = seededRandom(seed);
  const word = () => `w${Math.floor(random.int(1000) ** 2 / (1 + random.int(100)))}`;
  const lines: string[] = [];
  for (let length = 0; length < bytes; length += lines.at(-1)!.length) {
    const text = Array.from({ length: 20 + random.int(200) }, word).join(' ');
    lines.push(`${JSON.stringify({ id: lines.length, name: word(), text, size: random.int(1e6), tags: [word(), word()] })}\n`);
  }
  return Buffer.from(lines.join(''));
}

/** Sends documents and returns the uid of the task. */
async function send(base: string, method: 'POST' | 'PUT', body: Buffer): Promise<number> {
  const answer = await fetch(`${base}/indexes/a/documents?primaryKey=id`, {
    method,
    headers: { 'content-type': 'application/x-ndjson' },
    body: new Uint8Array(body),
  });
  return (await answer.json()).taskUid;
}

/** Waits for the end of a task, without a time limit. */
async function ended(base: string, uid: number) {
  for (;;) {
    const { body } = await request(base, 'GET', `/tasks/${uid}`);
    if (!['enqueued', 'processing'].includes(body.status)) return body;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Runs work with a limit of memory for indexing, and measures the memory allocated since the start. @param budget bytes */
async function keeps(t: Test, budget: number, work: (base: string) => Promise<number[]>): Promise<void> {
  const { child, url } = launchProcess(testFolder(t), '--max-indexing-memory', String(budget), '--max-indexing-threads', '8');
  let watch: NodeJS.Timeout | undefined;
  t.teardown(() => {
    clearInterval(watch);
    return kill(child);
  });
  const base = await url;
  const resident = privateMemory(child.pid!);
  const before = resident();
  let peak = before;
  watch = setInterval(() => (peak = Math.max(peak, resident())), 50);
  for (const uid of await work(base)) t.match(await ended(base, uid), { status: 'succeeded' });
  const mega = (bytes: number) => Math.round(bytes / 1e6);
  t.comment(`from ${mega(before)} to ${mega(peak)} MB`);
  t.ok(peak - before <= budget, `${mega(peak - before)} MB more than before, of ${mega(budget)}`);
}

/** Enough documents for two threads to build at the same time. */
const TWO_THREADS = 500e6;
const skip = process.platform !== 'linux';

t.test('a large import by several threads keeps to --max-indexing-memory', { skip }, async (t) => {
  await keeps(t, TWO_THREADS, async (base) => [await send(base, 'POST', payload(40e6))]);
});

t.test('the smallest budget is kept by imports, updates, merges and new settings', { skip }, async (t) => {
  await keeps(t, MIN_INDEXING_MEMORY, async (base) => {
    const first = await send(base, 'POST', payload(12e6));
    const again = [];
    for (let round = 1; round <= 4; round++) again.push(await send(base, round % 2 ? 'PUT' : 'POST', payload(3e6, round)));
    const settings = { filterableAttributes: ['size', 'tags'], searchableAttributes: ['text', 'name'] };
    const { body } = await request(base, 'PATCH', '/indexes/a/settings', settings);
    return [first, ...again, body.taskUid];
  });
});
