import t from 'tap';
import { testFolder } from '../host/test/support/folders.js';
import { kill, launchProcess } from '../host/test/support/process.js';
import type { FuzzRequest } from './fuzz/requests.js';
import { someRequest } from './fuzz/requests.js';
import { drained, faultOf, faultyTasks, prepare, STEADY, Target } from './fuzz/run.js';
import { caseRandom } from './fuzz/seeds.js';

/**
 * Requests of every kind, valid, nearly valid and malformed, made from the tables of routes, members and settings. Whatever is sent:
 * no answer reports an internal error, each comes before the deadline, searches work, no thread is lost, and memory does not grow.
 * `FUZZ`: number of requests; `SEED`: of their content.
 */
const COUNT = Number(process.env.FUZZ ?? 20_000);
/** Seconds after which no more requests are sent; FUZZ_SECONDS. */
const SECONDS = Number(process.env.FUZZ_SECONDS ?? (process.env.FUZZ ? Number.POSITIVE_INFINITY : 12));
/** Many in the long form: most of a request is waiting, for the disk and for tasks. */
const CONNECTIONS = process.env.FUZZ ? 16 : 4;
/** Number of requests between two searches of an index that no request changes. */
const SEARCH_EVERY = 50;
/** Number of requests after which the indexes are filled again and tasks are deleted. */
const PREPARE_EVERY = 2000;
/** Tasks that may wait while requests go on. */
const MAX_TASKS = 200;
/** Bytes by which memory may grow in the second half of a run, as garbage collections are irregular. */
const GROWTH = 192 << 20;
/** Connections and files that may be open beyond those of the start. */
const HANDLES = 200;

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
const MASTER = 'a master key for tests';

function shown(number: number, { method, path, headers, body }: FuzzRequest): string {
  return `${number}: ${JSON.stringify({ method, path, headers, body: body?.toString('latin1').slice(0, 4000) })}`;
}

t.test('random requests never cause internal errors', async (t) => {
  t.comment(`seed ${seed}`);
  const folder = testFolder(t);
  const env = { MEILI_EXPERIMENTAL_REST_EMBEDDER_MAX_RETRY_DURATION_SECONDS: '0.05' };
  const flags = ['--master-key', MASTER, '--dump-dir', `${folder}/output`, '--snapshot-dir', `${folder}/output`];
  const errors: string[] = [];
  const onLog = (text: string) => errors.push(...text.split('\n').filter((line) => / ERROR /.test(line)));
  const { child, url } = launchProcess({ folder: `${folder}/db`, env, onLog }, ...flags);
  t.teardown(() => kill(child));
  let ended = false;
  child.once('exit', () => {
    ended = true;
  });
  const target = new Target(await url, MASTER, child.pid!, CONNECTIONS);
  t.teardown(() => target.close());
  const faults: string[] = [];
  const attempt = async (number: number, request: FuzzRequest) => {
    try {
      const fault = faultOf(await target.send(request));
      if (fault) faults.push(`${fault}: ${shown(number, request)}`);
    } catch (error) {
      faults.push(`${(error as Error).message}: ${shown(number, request)}`);
    }
  };
  await prepare(target, 0);
  await drained(target, 0);
  const begin = target.figures;
  const start = performance.now();
  let sent = 0;
  let half = 0;
  let pause: Promise<void> | null = null;
  const upkeep = async (round: number) => {
    await drained(target, 0);
    faults.push(...(await faultyTasks(target)));
    await target.json('DELETE', '/tasks?statuses=succeeded,failed,canceled');
    await prepare(target, round);
    await drained(target, 0);
  };
  const work = async () => {
    while (sent < COUNT && faults.length < 20 && !ended && performance.now() - start < SECONDS * 1000) {
      const number = sent++;
      if (number % PREPARE_EVERY === PREPARE_EVERY - 1) pause = upkeep(number).finally(() => (pause = null));
      if (pause) await pause;
      if (number % SEARCH_EVERY === 0) {
        const { status, text } = await target.json('POST', `/indexes/${STEADY}/search`, { q: 'war', filter: 'year > 1950' });
        if (status !== 200 || JSON.parse(text).hits.length === 0) faults.push(`the search before ${number}: ${status} ${text}`);
        await drained(target, MAX_TASKS);
      }
      if (half === 0 && number * 2 > COUNT) half = target.figures.resident;
      await attempt(number, someRequest(caseRandom(seed, number)));
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
  t.notOk(ended, 'the process lives');
  await upkeep(sent);
  const end = target.figures;
  t.comment(`${sent} requests in ${Math.round((performance.now() - start) / 1000)} s`);
  t.comment(
    `statuses ${[...target.statuses]
      .sort()
      .map(([status, count]) => `${status}: ${count}`)
      .join(', ')}`,
  );
  t.comment(`begin ${JSON.stringify(begin)}, half ${half}, end ${JSON.stringify(end)}`);
  t.same(errors.slice(0, 20), [], `${errors.length} errors in the log`);
  t.same(faults.slice(0, 20), [], `${faults.length} faults, seed ${seed}`);
  t.ok(end.threads >= begin.threads, `${end.threads} threads, ${begin.threads} at the start`);
  t.ok(end.handles < begin.handles + HANDLES, `${end.handles} files and connections, ${begin.handles} at the start`);
  if (half > 0) t.ok(end.resident < half + GROWTH, `${end.resident >> 20} MiB, ${half >> 20} at half time`);
});
