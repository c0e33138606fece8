import { type Action, OPEN } from '../../../auth/actions.js';
import { ROUTES } from '../../../http/route-table.js';
import type { Caller, KeyCaller } from './callers.js';
import { isGlobalAction, names, opens } from './rights-model.js';

/** A route with values for its path: `uid` is the index in it, or undefined. */
export interface Place {
  route: string;
  action: Action;
  uid: string | undefined;
}

/** Some scopes include `books` and `books_fr` but not `plants`, others the reverse. */
const UIDS = ['books', 'books_fr', 'plants'];
const TOKEN_ACTIONS = ['search', 'chatCompletions'];

/** Every route of the table, with each index if its path has one. */
export const PLACES: readonly Place[] = Object.entries(ROUTES).flatMap(([route, { action }]) => {
  const uids = route.includes(':index_uid') ? UIDS : [undefined];
  return uids.map((uid) => ({ route, action, uid }));
});

const kindOf = ({ action, uid }: Place) => JSON.stringify([action, uid]);

/** One entry for all places with the same action and index, which the guard cannot distinguish, with their number. */
export const DISTINCT_PLACES: readonly (Place & { count: number })[] = [
  ...new Map(PLACES.map((place) => [kindOf(place), place])).values(),
].map((place) => ({ ...place, count: PLACES.filter((other) => kindOf(other) === kindOf(place)).length }));

/** The expected result for the caller at a place: it is admitted, or refused with this status. */
export function expected({ action, uid }: Place, caller: Caller): 'open' | 401 | 403 {
  if (action === OPEN) return 'open';
  if (caller.kind === 'header') return caller.answer;
  const needed = [action].flat() as string[];
  if (caller.kind === 'key') return keyOpens(caller, needed, uid) ? 'open' : 403;
  const { parent, rules } = caller;
  const good = rules !== null && TOKEN_ACTIONS.includes(needed[0]!) && keyOpens(parent, needed, uid);
  return good && (uid === undefined || names(rules, uid)) ? 'open' : 403;
}

function keyOpens({ action, indexes, state }: KeyCaller, needed: readonly string[], uid: string | undefined): boolean {
  if (state !== 'valid' || indexes.length === 0) return false;
  if (!needed.every((one) => opens(action, one))) return false;
  if (!indexes.includes('*') && needed.some(isGlobalAction)) return false;
  return uid === undefined || names(indexes, uid);
}

/** The `Authorization` header of the caller. */
export function headerOf(caller: Caller): string | undefined {
  return caller.kind === 'header' ? caller.header : `Bearer ${caller.value}`;
}
