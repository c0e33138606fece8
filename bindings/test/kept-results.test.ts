import t from 'tap';
import { keptResults } from '../ranking/kept-results.js';
import { loadPlainEngine } from './engine.js';

t.test('a result is made once queries have spent its price for want of it', async (t) => {
  const kept = keptResults(loadPlainEngine());
  const price = () => 100;
  t.notOk(kept.isEarned('a', price, 60));
  t.notOk(kept.isEarned('b', price, 60), 'each result is saved for on its own');
  t.ok(kept.isEarned('a', price, 60));
  t.ok(kept.isEarned('a', price, 0), 'it stays so until it is made: a query may need others too');
  t.ok(kept.isEarned('c', price, 100), 'one query may be enough');
  const made = kept.result('c', 16, () => {});
  t.not(made, 0);
  const asked = (): number => {
    throw new Error('the price of what is there is not asked for');
  };
  t.ok(kept.isEarned('c', asked, 0));
});
