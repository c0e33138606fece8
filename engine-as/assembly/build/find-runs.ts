/**
 * Finds the runs of consecutive terms with many postings: the words that start with a prefix of any length (without the prefix
 * itself, if it is a word), and single terms. Terms are added in byte order.
 */
import { alloc } from '../runtime/arena';
import { Buffer, bufferCreate, bufferRoom } from '../runtime/buffer';

/** Terms [from, to). */
@unmanaged
export class FoundRun {
  from: u32;
  to: u32;
  postings: u32;
}

/** A prefix of the term added last. */
@unmanaged
class OpenPrefix {
  bytes: u32;
  /** first term of its run */
  from: u32;
  /** postings of its run, and of the prefix itself if it is a word */
  postings: u32;
  own: u32;
}

/** Bytes of the longest term, which has as many prefixes. */
const MAX_TERM_BYTES: u32 = 250;

let leastPrefix: u32 = 0;
let leastTerm: u32 = 0;
let runs: usize = 0;
/** OpenPrefix[], the shortest one first */
let prefixes: usize = 0;
let open: u32 = 0;

function prefixAt(index: u32): OpenPrefix {
  return changetype<OpenPrefix>(prefixes + <usize>index * offsetof<OpenPrefix>());
}

/** Postings from which the words with a prefix, and single terms, are reported. */
export function findRunsBegin(ofPrefix: u32, ofTerm: u32): void {
  leastPrefix = ofPrefix;
  leastTerm = ofTerm;
  runs = bufferCreate(64 * offsetof<FoundRun>());
  prefixes = alloc(<usize>MAX_TERM_BYTES * offsetof<OpenPrefix>());
  open = 0;
}

/** Adds the next term: its number and text, the bytes that it shares with the one before, and its postings. */
export function findRunsAdd(term: u32, text: usize, length: u32, shared: u32, postings: u32): void {
  closePrefixes(shared, term);
  for (let bytes = shared + 1; bytes <= length; bytes++) {
    const isWord = bytes === length;
    if (!isWord && (load<u8>(text + bytes) & 0xc0) === 0x80) continue;
    const prefix = prefixAt(open++);
    prefix.bytes = bytes;
    prefix.from = isWord ? term + 1 : term;
    prefix.postings = 0;
    prefix.own = isWord ? postings : 0;
  }
  if (postings >= leastTerm) pushRun(term, term + 1, postings);
}

/** All runs, each once: a Buffer of FoundRun by ascending `from`, the longer one first of two that start at the same term. */
export function findRunsEnd(termCount: u32): usize {
  closePrefixes(0, termCount);
  sortRuns();
  return runs;
}

/** Closes the prefixes that are longer than what the next term shares. */
function closePrefixes(shared: u32, end: u32): void {
  while (open > 0 && prefixAt(open - 1).bytes > shared) {
    const prefix = prefixAt(--open);
    if (prefix.postings >= leastPrefix && prefix.from < end) pushRun(prefix.from, end, prefix.postings);
    if (open > 0) prefixAt(open - 1).postings += prefix.postings + prefix.own;
  }
}

function pushRun(from: u32, to: u32, postings: u32): void {
  const run = changetype<FoundRun>(bufferRoom(runs, offsetof<FoundRun>()));
  run.from = from;
  run.to = to;
  run.postings = postings;
  changetype<Buffer>(runs).length += offsetof<FoundRun>();
}

/** Insertion sort: a run is behind those that it contains, which are few. */
function sortRuns(): void {
  const list = changetype<Buffer>(runs);
  const size = offsetof<FoundRun>();
  let kept: usize = 0;
  for (let next: usize = 0; next < list.length; next += size) {
    const from = changetype<FoundRun>(list.data + next).from;
    const to = changetype<FoundRun>(list.data + next).to;
    const postings = changetype<FoundRun>(list.data + next).postings;
    let place = kept;
    while (place > 0 && comesBefore(from, to, changetype<FoundRun>(list.data + place - size))) place -= size;
    if (place > 0) {
      const before = changetype<FoundRun>(list.data + place - size);
      if (before.from === from && before.to === to) continue;
    }
    memory.copy(list.data + place + size, list.data + place, kept - place);
    changetype<FoundRun>(list.data + place).from = from;
    changetype<FoundRun>(list.data + place).to = to;
    changetype<FoundRun>(list.data + place).postings = postings;
    kept += size;
  }
  list.length = kept;
}

function comesBefore(from: u32, to: u32, other: FoundRun): bool {
  return other.from > from || (other.from === from && other.to < to);
}
