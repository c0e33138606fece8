/** Writes documents as codes of pieces of text, which are learned from the first of them: see pieces/decode. */
import { AUTOMATON_BYTES, makeAutomaton } from '../pieces/automaton';
import { copiesBegin, copiesEnd, copiesRoom, writeCodes } from '../pieces/copies';
import { CODE_BYTES, PIECES_SLACK, SLOT_BYTES, SLOTS_MOST } from '../pieces/decode';
import { divide, divideBegin } from '../pieces/divide';
import { choosePieces, learnPieces, writePieces } from '../pieces/learn';
import { trieCreate } from '../pieces/trie';
import { alloc, arenaMark, arenaReset } from '../runtime/arena';
import { bufferCreate, bufferCreateLasting, bufferPush32, bufferRoom } from '../runtime/buffer';
import { Pages, pagesAppend } from '../runtime/pages';

/** The table takes at most this share of the text that it is learned from, as 1/n. */
const TABLE_SHARE: u32 = 4;
/** Text that is coded together: its codes stay in the processor's cache. */
const BATCH_BYTES: u32 = 1 << 16;

let table: usize = 0;
let slots: u32 = 0;
let automaton: usize = 0;
/** Buffer: the codes of a batch as they are divided */
let divided: usize = 0;
/** Buffer of usize: where the codes of each document end there */
let dividedEnds: usize = 0;
/** Buffer of u32: where the codes of each document start, in codes */
let starts: usize = 0;

export function codedBegin(): void {
  table = 0;
  slots = 0;
}

/** Learns pieces from the first documents, one after the other from `text` on, with their ends in `ends` (u32[]). */
export function codedLearn(text: usize, ends: usize, documents: u32): void {
  const length = load<u32>(ends + ((<usize>documents - 1) << 2));
  const most = min<u32>(SLOTS_MOST, length / TABLE_SHARE / SLOT_BYTES);
  table = alloc(<usize>most * SLOT_BYTES + PIECES_SLACK);
  automaton = alloc(AUTOMATON_BYTES);
  divided = bufferCreate(BATCH_BYTES * CODE_BYTES * 2);
  dividedEnds = bufferCreate(1024);
  starts = bufferCreateLasting(1024);
  divideBegin();
  copiesBegin();
  const mark = arenaMark();
  const trie = trieCreate();
  const learned = learnPieces(trie, text, ends, documents);
  slots = choosePieces(learned, most);
  writePieces(learned, table, slots);
  makeAutomaton(learned, trie, automaton);
  arenaReset(mark);
}

/** Whether pieces have been learned, so that documents are coded. */
export function codedActive(): bool {
  return table !== 0;
}

/** Appends the codes of documents, given as for {@link codedLearn}, to `pages`. */
export function codedAdd(text: usize, ends: usize, documents: u32, pages: usize): void {
  let first: u32 = 0;
  let start: u32 = 0;
  for (let i: u32 = 0; i < documents; i++) {
    const end = load<u32>(ends + ((<usize>i) << 2));
    if (end - start < BATCH_BYTES && i + 1 < documents) continue;
    addBatch(text, ends, first, i + 1, pages);
    first = i + 1;
    start = end;
  }
}

function addBatch(text: usize, ends: usize, first: u32, last: u32, pages: usize): void {
  const start: u32 = first === 0 ? 0 : load<u32>(ends + ((<usize>first) << 2) - 4);
  const bytes: usize = load<u32>(ends + ((<usize>last) << 2) - 4) - start;
  const codes = bufferRoom(divided, bytes * CODE_BYTES);
  const codeEnds = bufferRoom(dividedEnds, <usize>(last - first) * sizeof<usize>());
  divide(automaton, text, ends, first, last, codes, codeEnds);
  copiesRoom(bytes);
  const written = copiesEnd();
  const before = <u32>(changetype<Pages>(pages).length / CODE_BYTES);
  for (let i = first; i < last; i++) {
    bufferPush32(starts, before + <u32>((copiesEnd() - written) / CODE_BYTES));
    const from: u32 = i === 0 ? 0 : load<u32>(ends + ((<usize>i) << 2) - 4);
    writeCodes(codes + <usize>(from - start) * CODE_BYTES, load<usize>(codeEnds + <usize>(i - first) * sizeof<usize>()));
  }
  pagesAppend(pages, written, copiesEnd() - written);
}

/** Address of the table, with {@link PIECES_SLACK} zeros, and its bytes. */
export function codedTable(): usize {
  return table;
}

export function codedTableBytes(): usize {
  return <usize>slots * SLOT_BYTES + PIECES_SLACK;
}

/** Buffer of u32: where the codes of each document start, and at last where all end, in codes. */
export function codedStarts(pages: usize): usize {
  bufferPush32(starts, <u32>(changetype<Pages>(pages).length / CODE_BYTES));
  return starts;
}
