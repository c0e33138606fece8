/**
 * Finds words with typos by walking the sorted dictionary as an implicit trie: a stack holds the state after each code point of the current
 * word, and a word continues from the prefix that it shares with the word before. Once a prefix cannot come within the distance any more, all
 * words with that prefix are skipped by their shared-prefix lengths. Where at most one edit is left, words whose next two code
 * points show that they are too far away are skipped without reading their texts (`branches.ts`).
 */
import { sharingEnd } from '../dictionary/terms';
import { SegmentView } from '../segment/view';
import { byteSetClear, childIn, grandchildIn } from './branches';
import { charAfter, decodedBytes } from './code-points';
import {
  addNear,
  addWanted,
  hasNoEditLeft,
  hasOneLeft,
  isDead,
  Level,
  levelAfter,
  levelAfterOther,
  levelBefore,
  levelsOf,
  nearSet,
  wantedSet,
} from './distance';
import { addAt, isFilled, isWithin, MAX_WORD, TypoSearch } from './typo-search';

/** How terms are skipped after a level: not at all; to a child with a wanted byte; or to one with a near byte, or a wanted byte after it. */
const SKIP_NOTHING: u32 = 1;
const SKIP_TO_CHILD: u32 = 2;
const SKIP_TO_GRANDCHILD: u32 = 3;

/** Collects the words among terms [from, to), which begin with the first code point of the query. */
export function walkTrie(search: TypoSearch, from: u32, to: u32): void {
  const segment = changetype<SegmentView>(search.view);
  const lcps = segment.termLcp;
  let level = levelsOf(search.query, search.queryLength, search.budget, MAX_WORD);
  let term = from;
  while (term < to) {
    if (isFilled(search)) return;
    // The states of the code points shared with the word before stay valid.
    let shared: u32 = term === from ? 0 : load<u8>(lcps + term);
    while (level.bytes > shared) level = levelBefore(level);
    if (segment.termBranches !== 0 && shared > 0 && level.bytes === shared) {
      term = skipMismatches(search, level, term, to);
      if (term === to) return;
      shared = load<u8>(lcps + term);
      if (shared < level.bytes) continue;
    }
    let dead = false;
    let covered = search.isPrefix && level.best === 0;
    while (!dead && !covered) {
      const char = charAfter(segment, term, level.bytes, shared);
      if (decodedBytes() === 0) break;
      level = levelAfter(level, char, decodedBytes());
      dead = isDead(level);
      covered = search.isPrefix && level.best === 0;
    }
    if (covered) {
      // All words with this prefix start with the query.
      term = sharingEnd(search.view, term + 1, to, level.bytes);
      continue;
    }
    if (!dead) {
      addAt(search, term, search.isPrefix ? level.best : level.whole);
      term++;
      continue;
    }
    // All words with the dead prefix get the same result: beyond the budget, or the best distance of a prefix so far.
    const end = sharingEnd(search.view, term + 1, to, level.bytes);
    if (search.isPrefix && isWithin(search, level)) for (; term < end; term++) addAt(search, term, level.best);
    term = end;
  }
}

/**
 * The first of the terms [term, to) that is not known to be too far away because of the next code points. `term` begins a child of the node
 * of the level.
 */
function skipMismatches(search: TypoSearch, level: Level, term: u32, to: u32): u32 {
  // A node has many children, and the same may follow each of them.
  if (level.skip === 0) level.skip = prepareSkip(search, level);
  if (level.skip === SKIP_NOTHING) return term;
  const segment = changetype<SegmentView>(search.view);
  if (level.skip === SKIP_TO_CHILD) return childIn(segment, term, to, level.bytes, wantedSet(level));
  return grandchildIn(segment, term, to, level.bytes, nearSet(level), wantedSet(level));
}

/** Determines which code points may follow a level. */
function prepareSkip(search: TypoSearch, level: Level): u32 {
  byteSetClear(wantedSet(level));
  if (hasNoEditLeft(level)) {
    if (search.isPrefix && isWithin(search, level)) return SKIP_NOTHING;
    addWanted(level, wantedSet(level));
    return SKIP_TO_CHILD;
  }
  if (!hasOneLeft(level)) return SKIP_NOTHING;
  const other = levelAfterOther(level);
  if (search.isPrefix && isWithin(search, other)) return SKIP_NOTHING;
  byteSetClear(nearSet(level));
  addNear(level, nearSet(level));
  addWanted(other, wantedSet(level));
  return SKIP_TO_GRANDCHILD;
}
