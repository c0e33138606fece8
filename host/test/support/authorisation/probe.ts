import { ROUTES } from '../../../http/route-table.js';
import type { Place } from './cells.js';

/** A request that gets through the authorisation and, where the route reads anything, no further: it is malformed. */
export interface Probe {
  method: string;
  url: string;
  body: string | undefined;
}

const NO_JSON = '{"';

export function probeOf({ route, uid }: Place): Probe {
  const [method, pattern] = route.split(' ') as [string, string];
  const { body, parameters } = ROUTES[route]!;
  const url = pattern.replace(':index_uid', uid ?? '').replaceAll(/:\w+/g, 'x');
  const query = !body && parameters ? '?noSuchParameter=1' : '';
  return { method, url: url + query, body: body && NO_JSON };
}
