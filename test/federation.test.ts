import t from 'tap';
import { federatedDifferential } from './differential/federation.js';

t.test('merging lists agrees with sorting all hits', async (t) => {
  const { cases, answered, differences } = federatedDifferential(process.env.PEREGRINE_ENGINE ? 40 : 160, 1);
  t.comment(`${cases} searches, ${answered} answered`);
  for (const report of differences.slice(0, 3)) t.comment(report);
  t.equal(differences.length, 0, 'no answer differs');
  t.ok(answered > cases / 3, 'most can be merged');
});
