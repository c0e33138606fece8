import t from 'tap';
import { NEEDS_EMBEDDING, type SearchAnswer } from '../../search/answer.js';
import { ConcurrentSearches } from '../../search/pool/concurrent-searches.js';
import type { EncodedRequest } from '../../search/request-bytes.js';

const answer = (status: number): SearchAnswer => ({ status, body: Buffer.alloc(0), release: () => {} });
const searches = (count: number) => new ConcurrentSearches(count, () => null as unknown as EncodedRequest);

t.test('a search that needs an embedding does not end those after it', async (t) => {
  const three = searches(3);
  while (three.waits) three.next().settle(answer(NEEDS_EMBEDDING));
  t.same(
    (await three.answers).map(({ status }) => status),
    [NEEDS_EMBEDDING, NEEDS_EMBEDDING, NEEDS_EMBEDDING],
  );
});

t.test('after an error no further search is started, and running ones finish', async (t) => {
  const four = searches(4);
  const [first, second] = [four.next(), four.next()];
  second.settle(answer(400));
  t.notOk(four.waits);
  first.settle(answer(200));
  t.same(
    (await four.answers).map(({ status }) => status),
    [200, 400],
  );
});
