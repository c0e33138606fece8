/** Finds the derivations of the words of a query. */
import { Word } from '../plan/plan';
import { Search } from '../plan/search';
import { alloc } from '../runtime/arena';
import { bufferPush32, bufferPushBytes } from '../runtime/buffer';
import { keyCreate } from '../runtime/key-table';
import { cacheDerivations, cachedDerivations } from './cached-derivations';
import { Derivations } from './derivations';
import { findPrefixes, findTypos, findWord, Typos } from './dictionary';
import { runsCreate } from './runs';
import { findSplit } from './split';

/**
 * The derivations of a word of the query, or of `typedCount` words joined: `typed` is the first one (Word[]), `text` their
 * concatenation.
 */
export function derive(
  search: Search,
  text: usize,
  length: u32,
  typed: usize,
  typedCount: u32,
  prefix: bool,
  budget: u32,
): Derivations {
  // Splits depend on the searched attributes, which are not part of the key, when proximity is by attribute.
  const isCacheable = !(search.index.byAttribute && search.plan.restricted);
  const key = keyOf(search, text, length, typed, typedCount, prefix, budget);
  const known = isCacheable ? cachedDerivations(key) : 0;
  if (known !== 0) return changetype<Derivations>(known);
  const derivations = changetype<Derivations>(alloc(offsetof<Derivations>()));
  derivations.exact = findWord(search, text, length);
  derivations.prefixes = runsCreate();
  derivations.one = runsCreate();
  derivations.two = runsCreate();
  derivations.prefixIndexed = false;
  const own: u32 = typedCount === 2 ? changetype<Word>(typed).length : 0;
  findSplit(search, derivations, text, length, own);
  if (prefix) {
    const prefixes = findPrefixes(search, text, length);
    derivations.prefixes = prefixes.runs;
    derivations.prefixIndexed = prefixes.unlimited;
  }
  if (budget > 0) {
    const typos = changetype<Typos>(alloc(offsetof<Typos>()));
    findTypos(search, text, length, budget, prefix, typos);
    derivations.one = typos.one;
    derivations.two = typos.two;
  }
  if (isCacheable) cacheDerivations(key, derivations);
  return derivations;
}

/** The cache key of derivations: state of the index, how the word may match, and where it was typed with a space. */
function keyOf(search: Search, text: usize, length: u32, typed: usize, typedCount: u32, prefix: bool, budget: u32): usize {
  const key = keyCreate(search.index.state);
  bufferPush32(key, (prefix ? 1 : 0) | (budget << 1) | (typedCount << 3));
  if (typedCount === 2) bufferPush32(key, changetype<Word>(typed).length);
  bufferPushBytes(key, text, length);
  return key;
}
