import fs from 'node:fs';
import t from 'tap';
import { seededRandom } from '../../bindings/test/random.js';
import { testFolder } from './support/folders.js';
import { kill, launchProcess } from './support/process.js';

/** Less than a process takes that indexes with as many threads as it may, each with a builder of its own. */
const BUDGET = 300e6;
const PAYLOAD_BYTES = 40e6;

/** NDJSON of documents with some long and many short members, of a vocabulary that grows. */
function payload(): Buffer {
  const random = seededRandom(18);
  const word = () => `w${Math.floor(random.int(1000) ** 2 / (1 + random.int(100)))}`;
  const lines: string[] = [];
  for (let bytes = 0; bytes < PAYLOAD_BYTES; bytes += lines.at(-1)!.length) {
    const text = Array.from({ length: 20 + random.int(200) }, word).join(' ');
    lines.push(`${JSON.stringify({ id: lines.length, name: word(), text, size: random.int(1e6), tags: [word(), word()] })}\n`);
  }
  return Buffer.from(lines.join(''));
}

t.test('indexing keeps to --max-indexing-memory', { skip: process.platform !== 'linux' }, async (t) => {
  const bounds = ['--max-indexing-memory', String(BUDGET), '--max-indexing-threads', '8', '--experimental-enable-metrics'];
  const { child, url } = launchProcess(testFolder(t), ...bounds);
  t.teardown(() => kill(child));
  const base = await url;
  /** Bytes in memory, segments left out. */
  const resident = async () => {
    const metrics = await (await fetch(`${base}/metrics`)).text();
    const segments = Number(/^peregrine_shared_memory_bytes (\d+)/m.exec(metrics)![1]);
    const status = fs.readFileSync(`/proc/${child.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)![1]) * 1024 - segments;
  };
  const before = await resident();
  let peak = before;
  const sent = fetch(`${base}/indexes/a/documents?primaryKey=id`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body: new Uint8Array(payload()),
  });
  const { taskUid } = await (await sent).json();
  for (let status = ''; status !== 'succeeded'; ) {
    peak = Math.max(peak, await resident());
    const task = await (await fetch(`${base}/tasks/${taskUid}`)).json();
    status = task.status;
    if (status === 'failed') throw new Error(JSON.stringify(task.error));
  }
  t.comment(`from ${Math.round(before / 1e6)} to ${Math.round(peak / 1e6)} MB`);
  t.ok(peak - before <= BUDGET, `${Math.round((peak - before) / 1e6)} MB more than before`);
});
