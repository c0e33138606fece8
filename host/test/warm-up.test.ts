import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { compileEngine } from '../index/engine-module.js';
import { arenaLayout, SharedMemories } from '../index/memories.js';
import { HANDLERS, type Handler } from '../search/handlers.js';
import { ThreadHome } from '../search/home.js';
import { WarmUp } from '../search/warm-up/warm-up.js';
import { testFolder } from './support/database.js';
import { kill } from './support/process.js';
import { TestRoom } from './support/room.js';
import { until } from './support/until.js';

/** Real searches beside a warm-up. */
const SEARCHES = 300;

t.test('made-up searches are answered with hits, in the instance of real ones, which is as before when they are over', (t) => {
  const layout = arenaLayout(1);
  const memories = new SharedMemories(layout);
  const home = new ThreadHome({ module: compileEngine('shared'), layout, reader: 0, segments: '/nonexistent' });
  home.setMemories(memories.list, [memories.list[0]!.buffer.byteLength]);
  const instance = home.instance(0);
  const room = instance.call('persistentLeft');
  const warmUp = new WarmUp(compileEngine('plain'), instance, HANDLERS.search as Handler);
  t.ok(instance.call('persistentLeft') < room);
  const { generation } = instance;
  let searches = 0;
  let withHits = 0;
  for (;;) {
    const answer = home.scoped(() => warmUp.next()?.slice());
    if (!answer) break;
    searches++;
    if (JSON.parse(Buffer.from(answer).toString()).hits.length > 0) withHits++;
  }
  t.ok(searches >= 1000, `${searches} searches`);
  t.ok(withHits > searches / 2, `${withHits} with hits`);
  t.equal(instance.call('persistentLeft'), room);
  t.equal(instance.generation, generation + 1, 'what was kept is void');
  t.end();
});

t.test('a warm-up makes way for real searches, is not counted, and leaves their answers as they are', async (t) => {
  const { room, ...test } = await openWith300(t);
  const search = () => test.search({ q: 'common word3', limit: 50 });
  const before = await search();
  t.equal(before.length, 50);
  const warm = room.warmUp();
  // one after the other without a pause: when the made-up search under way has ended, no other begins
  const beside: number[] = [];
  for (let times = 0; times < SEARCHES; times++) {
    const answer = search();
    beside.push(room.runningSearches - 1);
    t.same(await answer, before);
  }
  t.equal(beside[0], 1, 'the warm-up had begun');
  t.ok(beside.includes(0) && beside.slice(beside.indexOf(0)).every((count) => count === 0), 'it makes way');
  await warm;
  t.same(await search(), before);
  t.equal(room.searchUsage.take().counts.received, SEARCHES + 2, 'only real searches are counted');
  await t.rejects(test.search({ q: 'a' }, 'warm-up'), /index_not_found/, 'the made-up index is nowhere');
  t.same(test.faults, []);
});

t.test('a warm-up ends with the room', async (t) => {
  const { room } = await openWith300(t);
  const warm = room.warmUp();
  await room.close();
  await warm;
});

t.test('the server warms up when it has started', async (t) => {
  const folder = testFolder(t);
  const flags = ['--db-path', folder, '--http-addr', '127.0.0.1:0', '--no-analytics', '--log-level', 'DEBUG'];
  const child = spawn(process.execPath, [fileURLToPath(new URL('../main.js', import.meta.url)), ...flags]);
  t.teardown(() => kill(child));
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  await until('the end of the warm-up', () => output.includes('the search threads are warm'));
  t.match(output, /listening on/);
});

async function openWith300(t: Test) {
  const test = await TestRoom.open(t, { searchThreads: 2 });
  await test.create('a', 'id');
  const documents = Array.from({ length: 300 }, (_, id) => ({ id, text: `common word${id % 7} other${id % 11}` }));
  await test.apply('a', await test.add(documents));
  const search = async (request: unknown, uid = 'a') => (await test.search(uid, request)).hits;
  return { room: test.room, faults: test.faults, search };
}
