import { ROUTES } from '../../../http/route-table.js';
import type { Place } from './cells.js';

/** A malformed request: it passes the authorisation, and is refused by routes that read anything. */
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
