import t from 'tap';
import { Features } from '../../options/features.js';
import { readOptions } from '../../options/options.js';
import { Ledger } from '../../storage/ledger/ledger.js';

async function entries(ledger: Ledger, prefix: string): Promise<[string, string][]> {
  const found: [string, string][] = [];
  for await (const [key, value] of ledger.iterate(prefix)) found.push([key, value.toString()]);
  return found;
}

t.test('entries are read in key order, also after the ledger is reopened', async (t) => {
  const folder = `${t.testdir()}/ledger`;
  let ledger = await Ledger.open(folder);
  const put = (key: string, value: string) => ({ type: 'put' as const, key, value: Buffer.from(value) });
  await ledger.write([put('task/2', 'two'), put('task/10', 'ten'), put('tasks', 'no'), put('batch/1', 'b')], true);
  await ledger.write([], true);
  t.same(await entries(ledger, 'task/'), [
    ['task/10', 'ten'],
    ['task/2', 'two'],
  ]);
  t.equal(await ledger.get('task/3'), null);
  await t.rejects(Ledger.open(folder), 'a second process is kept out');
  await ledger.write([{ type: 'del', key: 'task/2' }, put('task/3', 'three')], true);
  await ledger.close();
  ledger = await Ledger.open(folder);
  t.same(await entries(ledger, 'task/'), [
    ['task/10', 'ten'],
    ['task/3', 'three'],
  ]);
  t.equal((await ledger.get('batch/1'))?.toString(), 'b');
  await ledger.close();
});

t.test('features are stored, and launch options enable some', async (t) => {
  const ledger = await Ledger.open(`${t.testdir()}/ledger`);
  t.teardown(() => ledger.close());
  const load = (...flags: string[]) => Features.load(ledger, readOptions(flags, {}));
  const features = await load();
  t.ok(Object.values(features.current).every((on) => on === false));
  t.equal(Object.keys(features.current).length, 15);
  await features.change({ metrics: true });
  t.equal((await load()).current.metrics, true);
  t.equal((await load('--experimental-contains-filter')).current.containsFilter, true);
  t.equal((await load()).current.containsFilter, false);
});
