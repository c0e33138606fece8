import type { FastifyInstance } from 'fastify';
import { apiError } from '../../../bindings/errors.js';
import { INDEX_UID } from '../../../bindings/query/index-uid.js';
import type { JsonValue } from '../../../bindings/query/json.js';
import { arrayOf, BOOLEAN } from '../../../bindings/query/request-values.js';
import { defaulted, listed, readObject, required, shown } from '../../../bindings/query/validate.js';
import type { Swap } from '../../tasks/task.js';
import { jsonValue } from '../body.js';
import { accept, type Service } from '../service.js';

export const PAIR = {
  indexes: required(arrayOf(INDEX_UID, 'an array of two index uids'), 'invalid_swap_indexes', 'missing_swap_indexes'),
  rename: defaulted(BOOLEAN, 'invalid_swap_rename', false),
};

export function swapRoutes(app: FastifyInstance, service: Service): void {
  app.post('/swap-indexes', async (request, reply) => {
    const swaps = readSwaps(await jsonValue(request, service.options.httpPayloadSizeLimit));
    swaps.forEach(({ indexes }, i) => {
      indexes.forEach((uid, j) => {
        request.access.require(uid, `\`[${i}].indexes[${j}]\``);
      });
    });
    return accept(service, reply, { type: 'indexSwap', indexUid: null, details: { swaps }, work: { kind: 'indexSwap', swaps } });
  });
}

function readSwaps(body: JsonValue): Swap[] {
  if (!Array.isArray(body)) throw apiError('bad_request', 'notSwaps', { found: shown(body) });
  const pairs = body.map((item, i) => {
    if (!(item instanceof Map)) throw apiError('bad_request', 'notASwap', { position: i, found: shown(item) });
    return readObject(PAIR, item, { path: `[${i}]`, code: 'bad_request' });
  });
  const swaps = pairs.map(({ indexes, rename }, i): Swap => {
    const [a, b] = indexes;
    if (a === undefined || b === undefined || indexes.length !== 2)
      throw apiError('invalid_swap_indexes', 'notTwo', { position: i, count: indexes.length });
    return { indexes: [a, b], rename };
  });
  const uids = swaps.flatMap(({ indexes }) => indexes);
  const repeated = [...new Set(uids.filter((uid, i) => uids.indexOf(uid) !== i))];
  if (repeated.length > 0) throw apiError('invalid_swap_duplicate_index_found', 'repeated', { indexes: listed(repeated) });
  return swaps;
}
