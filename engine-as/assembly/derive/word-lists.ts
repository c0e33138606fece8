/** Merges the terms of several segments by their texts: limits count distinct words, in byte order. */
import { Word } from '../plan/plan';
import { Search } from '../plan/search';
import { Buffer, bufferCreate, bufferPush32, bufferRoom } from '../runtime/buffer';
import { pushTerm, Run, runAt, runCount, runsCreate } from './runs';
import { textsOfTerms } from './segment-terms';

/** Terms of one segment, ascending. */
@unmanaged
class TermList {
  segment: u32;
  /** u32[count] */
  terms: usize;
  count: u32;
  /** Word[count], read when lists are merged */
  texts: usize;
  /** number of terms taken */
  taken: u32;
}

const LIST_BYTES: usize = offsetof<TermList>();

/** Lists of terms: a Buffer. */
export function listsCreate(): usize {
  return bufferCreate(4 * LIST_BYTES);
}

/** Adds the terms of a segment (a Buffer of u32, ascending). */
export function listsAdd(lists: usize, segment: u32, terms: usize): void {
  const count = <u32>(changetype<Buffer>(terms).length >> 2);
  if (count === 0) return;
  const list = changetype<TermList>(bufferRoom(lists, LIST_BYTES));
  list.segment = segment;
  list.terms = changetype<Buffer>(terms).data;
  list.count = count;
  list.texts = 0;
  list.taken = 0;
  changetype<Buffer>(lists).length += LIST_BYTES;
}

/** Number of terms in all lists. */
export function listsSize(lists: usize): u32 {
  let size: u32 = 0;
  for (let i: u32 = 0; i < listCount(lists); i++) size += listAt(lists, i).count;
  return size;
}

function listCount(lists: usize): u32 {
  return <u32>(changetype<Buffer>(lists).length / LIST_BYTES);
}

function listAt(lists: usize, index: u32): TermList {
  return changetype<TermList>(changetype<Buffer>(lists).data + <usize>index * LIST_BYTES);
}

/** Lists of the terms of runs, which ascend within each segment. */
export function listsOfRuns(runs: usize): usize {
  const lists = listsCreate();
  for (let i: u32 = 0; i < runCount(runs); ) {
    const segment = runAt(runs, i).segment;
    const terms = bufferCreate(64);
    for (; i < runCount(runs) && runAt(runs, i).segment === segment; i++) {
      const run: Run = runAt(runs, i);
      for (let term = run.from; term < run.to; term++) bufferPush32(terms, term);
    }
    listsAdd(lists, segment, terms);
  }
  return lists;
}

/** Compares two texts by bytes. */
export function compareBytes(left: usize, leftLength: u32, right: usize, rightLength: u32): i32 {
  const order = memory.compare(left, right, min<u32>(leftLength, rightLength));
  return order !== 0 ? order : <i32>leftLength - <i32>rightLength;
}

function compareWords(left: Word, right: Word): i32 {
  return compareBytes(left.text, left.length, right.text, right.length);
}

function nextWord(list: TermList): Word {
  return changetype<Word>(list.texts + <usize>list.taken * offsetof<Word>());
}

/**
 * Takes the first `limit` distinct words from the lists and returns their number. `out`: Buffer to which they are appended as
 * Word, 0 to only count them.
 */
export function takeWords(search: Search, lists: usize, limit: u32, out: usize): u32 {
  const count = listCount(lists);
  for (let i: u32 = 0; i < count; i++) {
    const list = listAt(lists, i);
    list.texts = textsOfTerms(search, list.segment, list.terms, list.count);
    list.taken = 0;
  }
  let different: u32 = 0;
  while (different < limit) {
    let least: usize = 0;
    for (let i: u32 = 0; i < count; i++) {
      const list = listAt(lists, i);
      if (list.taken === list.count) continue;
      const word = nextWord(list);
      if (least === 0 || compareWords(word, changetype<Word>(least)) < 0) least = changetype<usize>(word);
    }
    if (least === 0) break;
    different++;
    for (let i: u32 = 0; i < count; i++) {
      const list = listAt(lists, i);
      if (list.taken < list.count && compareWords(nextWord(list), changetype<Word>(least)) === 0) list.taken++;
    }
    if (out === 0) continue;
    memory.copy(bufferRoom(out, offsetof<Word>()), least, offsetof<Word>());
    changetype<Buffer>(out).length += offsetof<Word>();
  }
  return different;
}

/** The terms taken from the lists, or all of them, as runs. */
export function runsOfLists(lists: usize, all: bool): usize {
  const runs = runsCreate();
  for (let i: u32 = 0; i < listCount(lists); i++) {
    const list = listAt(lists, i);
    const count = all ? list.count : list.taken;
    for (let k: u32 = 0; k < count; k++) pushTerm(runs, list.segment, load<u32>(list.terms + ((<usize>k) << 2)));
  }
  return runs;
}
