/**
 * Reading which terms directly follow or precede others, and in which documents, where a segment stores that: if the left one is frequent
 * among its followers, otherwise among the predecessors of a frequent right one, or if both are the same. A drawing is in segment/layout.ts.
 */
import { AdjacentHeader, AdjacentTerm, FrequentTerm, TERM_ITSELF } from '../segment/layout';
import { SegmentView } from '../segment/view';
import { documentsInto } from './document-lists';

/** Of documents that are not stored. */
export const NOT_STORED: u32 = 0xffffffff;
const NONE = changetype<FrequentTerm>(0);

function frequentAt(section: usize, index: u32): FrequentTerm {
  const terms = section + changetype<AdjacentHeader>(section).termsOffset;
  return changetype<FrequentTerm>(terms + <usize>index * offsetof<FrequentTerm>());
}

/** Index of the first frequent term of a section that is not less than `term`. */
function firstFrequent(section: usize, term: u32): u32 {
  let low: u32 = 0;
  let high = changetype<AdjacentHeader>(section).count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (frequentAt(section, middle).term < term) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** 0: the term is not frequent, or the segment has no such section. */
function findFrequent(section: usize, term: u32): FrequentTerm {
  if (section === 0) return NONE;
  const index = firstFrequent(section, term);
  if (index === changetype<AdjacentHeader>(section).count) return NONE;
  const found = frequentAt(section, index);
  return found.term === term ? found : NONE;
}

/** Whether a segment stores which frequent terms directly follow a term without followers, and whether it follows itself. */
export function isPredecessor(view: SegmentView, term: u32): bool {
  if (view.predecessors === 0) return false;
  return load<u32>(view.termDocFreq + ((<usize>term) << 2)) >= changetype<AdjacentHeader>(view.predecessors).least;
}

/** Where the predecessor `left` of `right` is stored; 0: it is not. */
function findPreceded(view: SegmentView, left: u32, right: u32): FrequentTerm {
  return isPredecessor(view, left) ? findFrequent(view.predecessors, left === right ? TERM_ITSELF : right) : NONE;
}

/** The frequent term with the least number in [from, to) to which a segment stores predecessors; {@link NOT_STORED}: none. */
export function nextFrequent(view: SegmentView, from: u32, to: u32): u32 {
  if (view.predecessors === 0) return NOT_STORED;
  const index = firstFrequent(view.predecessors, from);
  if (index === changetype<AdjacentHeader>(view.predecessors).count) return NOT_STORED;
  const term = frequentAt(view.predecessors, index).term;
  return term < to ? term : NOT_STORED;
}

/** Whether a segment stores all terms that follow a term. */
export function hasFollowers(view: SegmentView, term: u32): bool {
  return changetype<usize>(findFrequent(view.followers, term)) !== 0;
}

function adjacentAt(section: usize, frequent: FrequentTerm, index: u32): AdjacentTerm {
  return changetype<AdjacentTerm>(section + frequent.adjacentOffset + <usize>index * offsetof<AdjacentTerm>());
}

/** Index of the first term beside a frequent one that is not less than `term`. */
function firstAdjacent(section: usize, frequent: FrequentTerm, term: u32): u32 {
  let low: u32 = 0;
  let high = frequent.count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (adjacentAt(section, frequent, middle).term < term) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Upper bound of the number of documents where `right` directly follows `left`: the bytes of their list; {@link NOT_STORED}. */
export function mostAdjacent(view: SegmentView, left: u32, right: u32): u32 {
  const followed = findFrequent(view.followers, left);
  if (changetype<usize>(followed) !== 0) return listBytes(view.followers, followed, right);
  const preceded = findPreceded(view, left, right);
  return changetype<usize>(preceded) === 0 ? NOT_STORED : listBytes(view.predecessors, preceded, left);
}

function listBytes(section: usize, frequent: FrequentTerm, term: u32): u32 {
  const index = firstAdjacent(section, frequent, term);
  const adjacent = adjacentAt(section, frequent, index);
  return adjacent.term === term ? adjacentAt(section, frequent, index + 1).offset - adjacent.offset : 0;
}

/**
 * Counts the documents where a term of [from, to) directly follows a term with followers, once for each such term, up to a limit, and adds them
 * to a bitmap over slots (0: none). `base`: first slot of the segment; `within`: bitmap over slots of the documents to consider, 0: all.
 */
export function followersInto(
  view: SegmentView,
  left: u32,
  from: u32,
  to: u32,
  base: u32,
  within: usize,
  out: usize,
  limit: u32,
): u32 {
  return adjacentInto(view.followers, findFrequent(view.followers, left), from, to, base, within, out, limit);
}

/** The same for two terms of which {@link mostAdjacent} knows the documents. */
export function pairInto(view: SegmentView, left: u32, right: u32, base: u32, within: usize, out: usize, limit: u32): u32 {
  if (hasFollowers(view, left)) return followersInto(view, left, right, right + 1, base, within, out, limit);
  const preceded = findPreceded(view, left, right);
  return adjacentInto(view.predecessors, preceded, left, left + 1, base, within, out, limit);
}

function adjacentInto(
  section: usize,
  frequent: FrequentTerm,
  from: u32,
  to: u32,
  base: u32,
  within: usize,
  out: usize,
  limit: u32,
): u32 {
  const documents = section + frequent.documentsOffset;
  let found: u32 = 0;
  for (let index = firstAdjacent(section, frequent, from); index < frequent.count; index++) {
    const adjacent = adjacentAt(section, frequent, index);
    if (adjacent.term >= to) break;
    const end = adjacentAt(section, frequent, index + 1).offset;
    found += documentsInto(documents + adjacent.offset, documents + end, base, within, out, limit - found);
    if (found === limit) break;
  }
  return found;
}
