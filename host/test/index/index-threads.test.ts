import fs from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import t from 'tap';
import { TestDatabase } from '../support/test-database.js';

/** Thread ids of this process. */
const threads = () => new Set(fs.readdirSync('/proc/self/task'));

t.test('one index thread stays alive when idle', async (t) => {
  const database = await TestDatabase.open(t, { indexIdleTimeout: 10 });
  await database.create('a', 'id');
  await database.apply('a', await database.add([{ id: 1, text: 'first' }]));
  const before = threads();
  await delay(500);
  await database.apply('a', await database.add([{ id: 2, text: 'second' }]));
  t.same(
    [...threads()].filter((id) => !before.has(id)),
    [],
    'no thread had to be started',
  );
  t.equal((await database.search('a', { q: 'second' })).hits.length, 1);
});

t.test('index threads have the configured nice value', async (t) => {
  const niceness = () =>
    fs
      .readdirSync('/proc/self/task')
      .map((id) => Number(fs.readFileSync(`/proc/self/task/${id}/stat`, 'utf8').split(') ')[1]!.split(' ')[16]));
  const database = await TestDatabase.open(t, { indexNiceness: 7 });
  await database.create('a', 'id');
  const own = Math.min(...niceness());
  await database.apply('a', await database.add([{ id: 1, text: 'first' }]));
  t.ok(niceness().includes(own + 7) || niceness().includes(7), 'one thread has this nice value');
});
