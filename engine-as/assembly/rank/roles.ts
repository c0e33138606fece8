/**
 * Which words of the index represent a state of a node, and in which documents they count. A role says which ends of phrases take
 * part.
 */
import { pushRuns, runsCreate } from '../derive/runs';
import { pushSources, sourcesCreate } from '../derive/sources';
import { NodePhrase, PHRASE_SPLIT, phraseAt, phraseCount } from '../graph/node';
import { allows, classesOf, isExactOnly, nodeOf } from '../graph/state';
import { Search } from '../plan/search';

/** Words, and the end of each phrase that is nearer to the neighbour: as the left or as the right one of two. */
export const ROLE_FORWARD_LEFT: u32 = 0;
export const ROLE_FORWARD_RIGHT: u32 = 1;
/** Words only, no phrases. */
export const ROLE_WORDS: u32 = 2;
/** Words only, without the words that start with a short prefix. */
export const ROLE_BACKWARD: u32 = 3;
/** Words, and the first word of each phrase. */
export const ROLE_LEADING: u32 = 4;

/** The words of a state, without phrases. `backward`: without the words that start with a short prefix. */
export function wordRuns(search: Search, state: u32, backward: bool): usize {
  const node = nodeOf(search, state);
  const runs = runsCreate();
  if (node.isPhrase) return runs;
  const derivations = node.derivations;
  const classes = classesOf(state);
  if (classes & 1) pushRuns(runs, derivations.exact);
  // A short prefix keeps its words even when the state is restricted to the exact form.
  const withPrefixes = isExactOnly(state) ? derivations.prefixIndexed : (classes & 1) !== 0;
  if (withPrefixes && !(backward && derivations.prefixIndexed)) pushRuns(runs, derivations.prefixes);
  if (!isExactOnly(state) && classes & 2) pushRuns(runs, derivations.one);
  if (!isExactOnly(state) && classes & 4) pushRuns(runs, derivations.two);
  return runs;
}

/** Whether a phrase of a node may represent a state of it. */
export function represents(phrase: NodePhrase, state: u32): bool {
  return phrase.kind !== PHRASE_SPLIT || allows(state, 1);
}

/** The runs of the word of a phrase that counts in a role; 0: none. */
export function wordInRole(phrase: NodePhrase, role: u32): usize {
  if (role === ROLE_FORWARD_LEFT) return load<u32>(phrase.runs + ((<usize>(phrase.count - 1)) << 2));
  let index: u32 = 0;
  if (role === ROLE_LEADING) while (index + 1 < phrase.count && load<u32>(phrase.runs + ((<usize>index) << 2)) === 0) index++;
  return load<u32>(phrase.runs + ((<usize>index) << 2));
}

/** Whether words of phrases count in a role of a state. */
export function hasPhrases(search: Search, state: u32, role: u32): bool {
  if (role === ROLE_WORDS || role === ROLE_BACKWARD) return false;
  const node = nodeOf(search, state);
  for (let i: u32 = 0; i < phraseCount(node); i++) {
    if (represents(phraseAt(node, i), state) && wordInRole(phraseAt(node, i), role) !== 0) return true;
  }
  return false;
}

/** The words of a state in a role: a Buffer of Source. */
export function roleSources(search: Search, state: u32, role: u32): usize {
  const sources = sourcesCreate();
  pushSources(search, sources, wordRuns(search, state, role === ROLE_BACKWARD), 0);
  if (role === ROLE_WORDS || role === ROLE_BACKWARD) return sources;
  const node = nodeOf(search, state);
  for (let i: u32 = 0; i < phraseCount(node); i++) {
    const phrase = phraseAt(node, i);
    const runs: usize = represents(phrase, state) ? wordInRole(phrase, role) : 0;
    if (runs !== 0) pushSources(search, sources, runs, phrase.documents);
  }
  return sources;
}

/** The runs of the words of a state whose positions count: its own words, then the first words of phrases. */
export function leadingRuns(search: Search, state: u32): usize {
  const runs = wordRuns(search, state, false);
  const node = nodeOf(search, state);
  for (let i: u32 = 0; i < phraseCount(node); i++) {
    const word: usize = represents(phraseAt(node, i), state) ? wordInRole(phraseAt(node, i), ROLE_LEADING) : 0;
    if (word !== 0) pushRuns(runs, word);
  }
  return runs;
}
