/** Which words of the index stand for a state, and in which documents they count. */
import { pushRuns, runsCreate } from '../derive/runs';
import { pushSources, sourcesCreate } from '../derive/sources';
import { NodePhrase, PHRASE_SPLIT, phraseAt, phraseCount } from '../graph/node';
import { allows, classesOf, isExactOnly, nodeOf } from '../graph/state';
import { Search } from '../plan/search';

/** With phrases at their nearer end. */
export const ROLE_FORWARD_LEFT: u32 = 0;
export const ROLE_FORWARD_RIGHT: u32 = 1;
/** Without phrases. */
export const ROLE_WORDS: u32 = 2;
/** Without phrases and without the words of a short prefix. */
export const ROLE_BACKWARD: u32 = 3;
/** With the first word of phrases. */
export const ROLE_LEADING: u32 = 4;

/** The words of the index that stand for a state, phrases apart. `backward`: without the words of a short prefix. */
export function wordRuns(search: Search, state: u32, backward: bool): usize {
  const node = nodeOf(search, state);
  const runs = runsCreate();
  if (node.isPhrase) return runs;
  const derivations = node.derivations;
  const classes = classesOf(state);
  if (classes & 1) pushRuns(runs, derivations.exact);
  // a short prefix keeps its words even where the state is restricted to the exact form
  const withPrefixes = isExactOnly(state) ? derivations.prefixIndexed : (classes & 1) !== 0;
  if (withPrefixes && !(backward && derivations.prefixIndexed)) pushRuns(runs, derivations.prefixes);
  if (!isExactOnly(state) && classes & 2) pushRuns(runs, derivations.one);
  if (!isExactOnly(state) && classes & 4) pushRuns(runs, derivations.two);
  return runs;
}

/** Does a phrase of a node stand for a state of it? */
export function standsFor(phrase: NodePhrase, state: u32): bool {
  return phrase.kind !== PHRASE_SPLIT || allows(state, 1);
}

/** Runs of the word of a phrase that counts in a role; 0: none does. */
export function wordInRole(phrase: NodePhrase, role: u32): usize {
  if (role === ROLE_FORWARD_LEFT) return load<u32>(phrase.runs + ((<usize>(phrase.count - 1)) << 2));
  let index: u32 = 0;
  if (role === ROLE_LEADING) while (index + 1 < phrase.count && load<u32>(phrase.runs + ((<usize>index) << 2)) === 0) index++;
  return load<u32>(phrase.runs + ((<usize>index) << 2));
}

/** Do words of phrases count in a role of a state? */
export function hasPhrases(search: Search, state: u32, role: u32): bool {
  if (role === ROLE_WORDS || role === ROLE_BACKWARD) return false;
  const node = nodeOf(search, state);
  for (let i: u32 = 0; i < phraseCount(node); i++) {
    if (standsFor(phraseAt(node, i), state) && wordInRole(phraseAt(node, i), role) !== 0) return true;
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
    const runs: usize = standsFor(phrase, state) ? wordInRole(phrase, role) : 0;
    if (runs !== 0) pushSources(search, sources, runs, phrase.documents);
  }
  return sources;
}

/** The runs of the words of a state whose positions count, each once: those of its own, then the first words of phrases. */
export function leadingRuns(search: Search, state: u32): usize {
  const runs = wordRuns(search, state, false);
  const node = nodeOf(search, state);
  for (let i: u32 = 0; i < phraseCount(node); i++) {
    const word: usize = standsFor(phraseAt(node, i), state) ? wordInRole(phraseAt(node, i), ROLE_LEADING) : 0;
    if (word !== 0) pushRuns(runs, word);
  }
  return runs;
}
