/** The dictionary of one segment of a search, in this memory or another one. */
import { TypoTerms, typoTerms } from '../automata/typos';
import { pushLiveTerms } from '../dictionary/sides';
import { prefixEnd, prefixStart, termBegin, termCountOf, termFind, termIsLive, termLength } from '../dictionary/terms';
import { Word } from '../plan/plan';
import { Search, segmentOf } from '../plan/search';
import {
  payloadOf,
  REQUEST_LIVE,
  REQUEST_PREFIX,
  REQUEST_TERM,
  REQUEST_TEXTS,
  REQUEST_TYPOS,
  requestFor,
  sendRequest,
  TermRange,
} from '../remote/request';
import { alloc, arenaMark, arenaReset } from '../runtime/arena';
import { bufferPush32 } from '../runtime/buffer';

export const MAX_ONE_TYPO: u32 = 150;
export const MAX_TWO_TYPOS: u32 = 50;

/** Number of a term that a live document has, or -1. */
export function liveTerm(search: Search, number: u32, text: usize, length: u32): i32 {
  const segment = segmentOf(search, number);
  if (!segment.isHere) {
    const request = requestFor(segment, REQUEST_TERM, length);
    memory.copy(payloadOf(request), text, length);
    return load<i32>(sendRequest(number, request));
  }
  return liveTermIn(segment.view, segment.tombstones, text, length);
}

export function liveTermIn(view: usize, tombstones: usize, text: usize, length: u32): i32 {
  const term = termFind(view, text, length);
  return term >= 0 && tombstones && !termIsLive(view, term, tombstones) ? -1 : term;
}

/** The terms of a segment that start with a text. */
export function termsWithPrefix(search: Search, number: u32, text: usize, length: u32): TermRange {
  const segment = segmentOf(search, number);
  if (segment.isHere) return prefixRange(segment.view, text, length);
  const request = requestFor(segment, REQUEST_PREFIX, length);
  memory.copy(payloadOf(request), text, length);
  return changetype<TermRange>(sendRequest(number, request));
}

export function prefixRange(view: usize, text: usize, length: u32): TermRange {
  const range = changetype<TermRange>(alloc(offsetof<TermRange>()));
  const count = termCountOf(view);
  range.from = prefixStart(view, text, length, 0, count);
  range.to = prefixEnd(view, text, length, range.from, count);
  range.firstBytes = range.from < range.to ? termLength(view, range.from) : 0;
  return range;
}

/** Appends the first `limit` live terms of [from, to) to a Buffer of u32. `tolerant`: only terms on the tolerant side. */
export function pushLive(search: Search, number: u32, from: u32, to: u32, tolerant: bool, limit: u32, out: usize): void {
  const segment = segmentOf(search, number);
  const fieldFlags = search.plan.fieldFlags;
  if (segment.isHere) {
    pushLiveTerms(segment.view, from, to, tolerant, segment.tombstones, fieldFlags, limit, out);
    return;
  }
  const fields = search.index.fieldCount;
  const request = requestFor(segment, REQUEST_LIVE, fields);
  request.from = from;
  request.to = to;
  request.limit = limit;
  request.flag = tolerant ? 1 : 0;
  memory.copy(payloadOf(request), fieldFlags, fields);
  const answer = sendRequest(number, request);
  pushAll(answer + 4, load<u32>(answer), out);
}

function pushAll(values: usize, count: u32, out: usize): void {
  for (let i: u32 = 0; i < count; i++) bufferPush32(out, load<u32>(values + ((<usize>i) << 2)));
}

/** Texts of terms (u32[count]): Word[]. */
export function textsOfTerms(search: Search, number: u32, terms: usize, count: u32): usize {
  const segment = segmentOf(search, number);
  const texts = alloc(<usize>count * offsetof<Word>());
  let at: usize = 0;
  if (!segment.isHere) {
    const request = requestFor(segment, REQUEST_TEXTS, count << 2);
    memory.copy(payloadOf(request), terms, (<usize>count) << 2);
    at = sendRequest(number, request);
  }
  for (let i: u32 = 0; i < count; i++) {
    const word = changetype<Word>(texts + <usize>i * offsetof<Word>());
    if (segment.isHere) {
      const term = load<u32>(terms + ((<usize>i) << 2));
      word.text = termBegin(segment.view, term);
      word.length = termLength(segment.view, term);
    } else {
      word.text = at + 4;
      word.length = load<u32>(at);
      at += <usize>word.length + 4;
    }
  }
  return texts;
}

/**
 * Appends the live dictionary words with one and with two typos to Buffers of u32, which have room for {@link MAX_ONE_TYPO} and
 * {@link MAX_TWO_TYPOS} of them.
 */
export function pushTypos(
  search: Search,
  number: u32,
  text: usize,
  length: u32,
  budget: u32,
  prefix: bool,
  one: usize,
  two: usize,
): void {
  const segment = segmentOf(search, number);
  const fieldFlags = search.plan.fieldFlags;
  const mark = arenaMark();
  if (segment.isHere) {
    const found = typosIn(segment.view, segment.tombstones, fieldFlags, text, length, budget, prefix);
    pushAll(found.oneTerms, found.oneCount, one);
    pushAll(found.twoTerms, found.twoCount, two);
  } else {
    const fields = search.index.fieldCount;
    const request = requestFor(segment, REQUEST_TYPOS, fields + length);
    request.from = fields;
    request.limit = budget;
    request.flag = prefix ? 1 : 0;
    memory.copy(payloadOf(request), fieldFlags, fields);
    memory.copy(payloadOf(request) + fields, text, length);
    const answer = sendRequest(number, request);
    const count = load<u32>(answer);
    pushAll(answer + 8, count, one);
    pushAll(answer + 8 + ((<usize>count) << 2), load<u32>(answer, 4), two);
  }
  arenaReset(mark);
}

export function typosIn(
  view: usize,
  tombstones: usize,
  fieldFlags: usize,
  text: usize,
  length: u32,
  budget: u32,
  prefix: bool,
): TypoTerms {
  return changetype<TypoTerms>(
    typoTerms(view, tombstones, fieldFlags, text, length, budget, prefix, MAX_ONE_TYPO, MAX_TWO_TYPOS),
  );
}
