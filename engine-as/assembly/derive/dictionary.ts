/** Looks words up in all segments of an index: limits and order apply to the whole index. */
import { Word } from '../plan/plan';
import { Search } from '../plan/search';
import { alloc } from '../runtime/arena';
import { Buffer, bufferCreate } from '../runtime/buffer';
import { pushRun, pushTerm, runAt, runCount, runsCreate, termsIn } from './runs';
import { liveTerm, MAX_ONE_TYPO, MAX_TWO_TYPOS, pushLive, pushTypos, termsWithPrefix } from './segment-terms';
import { dividedRuns } from './stored-runs';
import { listsAdd, listsCreate, listsOfRuns, listsSize, runsOfLists, takeWords } from './word-lists';

/** Longest word in an index, in bytes. */
export const MAX_WORD_BYTES: u32 = 250;
const MAX_PREFIXES: u32 = 1000;
/** A prefix of at most SHORT_PREFIX_BYTES that at least SHORT_PREFIX_WORDS dictionary words share has no limit of derivations. */
const SHORT_PREFIX_BYTES: u32 = 4;
const SHORT_PREFIX_WORDS: u32 = 100;

/** A word of a live document, in each segment that has it. */
export function findWord(search: Search, text: usize, length: u32): usize {
  const runs = runsCreate();
  if (length === 0 || length > MAX_WORD_BYTES) return runs;
  for (let number: u32 = 0; number < search.plan.segments.count; number++) {
    const term = liveTerm(search, number, text, length);
    if (term >= 0) pushRun(runs, number, term, term + 1);
  }
  return runs;
}

/** Whether a live document has one of the terms. */
export function anyLive(search: Search, runs: usize): bool {
  const live = bufferCreate(4);
  for (let i: u32 = 0; i < runCount(runs); i++) {
    const run = runAt(runs, i);
    pushLive(search, run.segment, run.from, run.to, false, 1, live);
    if (changetype<Buffer>(live).length > 0) return true;
  }
  return false;
}

/** Appends the texts of the terms of some runs to a Buffer of Word, ascending and without duplicates. */
export function pushTexts(search: Search, runs: usize, out: usize): void {
  takeWords(search, listsOfRuns(runs), 0xffffffff, out);
}

/** Words that start with a text. */
@unmanaged
export class Prefixes {
  /** without the text itself */
  runs: usize;
  /** whether their number is not limited */
  unlimited: bool;
}

export function findPrefixes(search: Search, text: usize, length: u32): Prefixes {
  const ranges = runsCreate();
  const found = runsCreate();
  if (length > 0 && length <= MAX_WORD_BYTES) {
    for (let number: u32 = 0; number < search.plan.segments.count; number++) {
      const range = termsWithPrefix(search, number, text, length);
      if (range.from >= range.to) continue;
      pushRun(ranges, number, range.from, range.to);
      // If the text itself is a word, it is the first of its range.
      const from = range.firstBytes === length ? range.from + 1 : range.from;
      if (from < range.to) pushRun(found, number, from, range.to);
    }
  }
  const prefixes = changetype<Prefixes>(alloc(offsetof<Prefixes>()));
  prefixes.unlimited = length <= SHORT_PREFIX_BYTES && dictionaryWords(search, ranges, SHORT_PREFIX_WORDS) >= SHORT_PREFIX_WORDS;
  prefixes.runs = prefixes.unlimited ? found : firstLive(search, found, MAX_PREFIXES);
  return prefixes;
}

/** Number of distinct live dictionary words in the ranges, counted up to a limit. */
function dictionaryWords(search: Search, ranges: usize, limit: u32): u32 {
  const lists = listsCreate();
  let sum: u32 = 0;
  for (let i: u32 = 0; i < runCount(ranges); i++) {
    const range = runAt(ranges, i);
    const terms = bufferCreate(64);
    pushLive(search, range.segment, range.from, range.to, true, limit, terms);
    const count = <u32>(changetype<Buffer>(terms).length >> 2);
    if (count >= limit) return limit;
    sum += count;
    listsAdd(lists, range.segment, terms);
  }
  if (sum < limit) return sum;
  return takeWords(search, lists, limit, 0);
}

/** Reduces runs to the first `limit` live words in byte order. */
function firstLive(search: Search, runs: usize, limit: u32): usize {
  if (termsIn(runs) <= limit) return runs;
  const lists = listsCreate();
  for (let i: u32 = 0; i < runCount(runs); i++) {
    const run = runAt(runs, i);
    const terms = bufferCreate(64);
    pushLive(search, run.segment, run.from, run.to, false, limit, terms);
    listsAdd(lists, run.segment, terms);
  }
  takeWords(search, lists, limit, 0);
  return dividedRuns(search, runsOfLists(lists, false));
}

/** Words with one and with two typos. */
@unmanaged
export class Typos {
  one: usize;
  two: usize;
}

export function findTypos(search: Search, text: usize, length: u32, budget: u32, prefix: bool, typos: Typos): void {
  const ones = listsCreate();
  const twos = listsCreate();
  if (length > 0 && length <= MAX_WORD_BYTES) {
    for (let number: u32 = 0; number < search.plan.segments.count; number++) {
      const one = bufferCreate((<usize>MAX_ONE_TYPO) << 2);
      const two = bufferCreate((<usize>MAX_TWO_TYPOS) << 2);
      pushTypos(search, number, text, length, budget, prefix, one, two);
      listsAdd(ones, number, one);
      listsAdd(twos, number, two);
    }
  }
  typos.one = limited(search, ones, MAX_ONE_TYPO);
  typos.two = limited(search, twos, MAX_TWO_TYPOS);
}

function limited(search: Search, lists: usize, limit: u32): usize {
  const fits = listsSize(lists) <= limit;
  if (!fits) takeWords(search, lists, limit, 0);
  const runs = runsOfLists(lists, fits);
  if (search.plan.segments.count === 1 || !search.index.hasExactAttributes) return dividedRuns(search, runs);
  // A word that tolerates typos in one segment does so in all of them, even where it only occurs in exact attributes.
  const words = bufferCreate(64);
  pushTexts(search, runs, words);
  const everywhere = runsCreate();
  const end = changetype<Buffer>(words).data + changetype<Buffer>(words).length;
  for (let number: u32 = 0; number < search.plan.segments.count; number++) {
    for (let at = changetype<Buffer>(words).data; at < end; at += offsetof<Word>()) {
      const term = liveTerm(search, number, changetype<Word>(at).text, changetype<Word>(at).length);
      if (term >= 0) pushTerm(everywhere, number, term);
    }
  }
  return dividedRuns(search, everywhere);
}
