import { workBlock } from '../runtime/arena';
import {
  categoryIn,
  columnOf,
  costOf,
  costsOfRow,
  endRow,
  entriesEndOf,
  firstEntryOf,
  formsRuns,
  isAlways,
  listOfCategory,
  MAX_ROWS,
  NO_CATEGORY,
  rowOf,
  setOf,
  startColumn,
} from './lattice-dictionary';
import { utf8Decode, utf8Length } from './utf8';
import { child, wordAt } from './word-list';

/*
 * Japanese and Korean words: of all ways to read a text as words of the dictionary the cheapest one (Viterbi's algorithm), where words
 * have costs and so have neighbours, as in MeCab. Long words cost extra, so that compounds fall into their parts. What the dictionary
 * does not have is read by the category of its letters: as one word up to where the category changes, or code point by code point.
 *
 * The text is worked off in windows. What is found close to the end of a window that is not the end of the text may still change:
 * it is read again with the next window. Tables behind what other segmenters use of the work block:
 *
 *   | u32 place[WINDOW + 1] | u8 set[WINDOW] | u32 ending[WINDOW + 1] | (u32 visit, i32 cost, u32 node) before[MAX_ROWS] | nodes |
 */

const WINDOW: u32 = 512;
/** Code points before the end of a window whose words are not settled; longer than nearly all words. */
const UNSETTLED: u32 = 64;
const NODES: u32 = 8192;
/** Nodes kept free for the words that begin at one place; with fewer left the window ends there. */
const SPARE_NODES: u32 = 1024;

/** The cheapest way to read the window up to `end` with a last word of the column `column`. */
@unmanaged
class Node {
  cost: i32;
  /** The next node with the same end (Node), 0: none. */
  sibling: u32;
  /** What stands before the last word (Node), 0 at the start of the window. */
  previous: u32;
  end: u16;
  column: u16;
}

/** The cheapest node that ends at a place, as seen from words of one row. */
@unmanaged
class Before {
  /** The place it was worked out for, as a number that is never used again. */
  visit: u32;
  cost: i32;
  /** Node */
  node: u32;
}

const PLACE: usize = 65536;
const SET: usize = PLACE + <usize>(WINDOW + 1) * 4;
const ENDING: usize = (SET + <usize>WINDOW + 3) & ~3;
const BEFORE: usize = ENDING + <usize>(WINDOW + 1) * 4;
const NODE: usize = BEFORE + <usize>MAX_ROWS * offsetof<Before>();
const NODES_END: usize = NODE + <usize>NODES * offsetof<Node>();

/** Ends of the words that are settled, from the last to the first (u16 positions): in the place of `ending`, which is done with then. */
const READY: usize = ENDING;

/** Long words cost extra per code point: words of ideographs alone beyond IDEOGRAPHS_FREE code points, others beyond LETTERS_FREE. */
const IDEOGRAPHS_FREE: u32 = 2;
const IDEOGRAPH_COST: i32 = 3000;
const LETTERS_FREE: u32 = 7;
const LETTER_COST: i32 = 1700;

let work: usize = 0;
let textEnd: usize = 0;
let windowStart: usize = 0;
/** Column of what stands before the window. */
let column: u32 = 0;
let nodesAt: usize = 0;
let readyCount: u32 = 0;
/** 0: the table `before` holds what was in memory before this instance. */
let visit: u32 = 0;

export function latticeBegin(start: usize, end: usize): void {
  work = workBlock();
  windowStart = start;
  textEnd = end;
  column = startColumn();
  readyCount = 0;
}

function isIdeograph(point: u32): bool {
  return point >= 0x4e00 && point <= 0x9faf;
}

function lengthCost(points: u32, ideographs: bool): i32 {
  if (ideographs) return points > IDEOGRAPHS_FREE ? <i32>(points - IDEOGRAPHS_FREE) * IDEOGRAPH_COST : 0;
  return points > LETTERS_FREE ? <i32>(points - LETTERS_FREE) * LETTER_COST : 0;
}

function placeOf(position: u32): usize {
  return load<u32>(work + PLACE + ((<usize>position) << 2));
}

function firstEnding(position: u32): usize {
  return load<u32>(work + ENDING + ((<usize>position) << 2));
}

/** Takes a way to read the window up to a position, unless there is one as cheap that all that follows sees the same. */
function addNode(end: u32, entryColumn: u32, cost: i32, previous: usize): void {
  const first = work + ENDING + ((<usize>end) << 2);
  for (let at = <usize>load<u32>(first); at !== 0; at = changetype<Node>(at).sibling) {
    const node = changetype<Node>(at);
    if (<u32>node.column !== entryColumn) continue;
    if (cost < node.cost) {
      node.cost = cost;
      node.previous = <u32>previous;
    }
    return;
  }
  if (nodesAt === work + NODES_END) return;
  const node = changetype<Node>(nodesAt);
  node.cost = cost;
  node.sibling = load<u32>(first);
  node.previous = <u32>previous;
  node.end = <u16>end;
  node.column = <u16>entryColumn;
  store<u32>(first, <u32>nodesAt);
  nodesAt += offsetof<Node>();
}

/** The cheapest way to come to a position, for words of a row that begin there. */
function before(position: u32, row: u32): Before {
  const found = changetype<Before>(work + BEFORE + <usize>row * offsetof<Before>());
  if (found.visit === visit) return found;
  const costs = costsOfRow(row);
  let best: i32 = i32.MAX_VALUE;
  let bestNode: usize = 0;
  for (let at = firstEnding(position); at !== 0; at = changetype<Node>(at).sibling) {
    const node = changetype<Node>(at);
    const cost = node.cost + <i32>load<i16>(costs + ((<usize>node.column) << 1));
    // of equals the one that was added first, which stands last
    if (cost > best) continue;
    best = cost;
    bestNode = at;
  }
  found.visit = visit;
  found.cost = best;
  found.node = <u32>bestNode;
  return found;
}

/** Adds the words of a list of entries between two positions. */
function addWords(list: u32, start: u32, end: u32, ideographs: bool): void {
  const extra = lengthCost(end - start, ideographs);
  const stop = entriesEndOf(list);
  for (let entry = firstEntryOf(list); entry < stop; entry++) {
    const way = before(start, rowOf(entry));
    addNode(end, columnOf(entry), way.cost + costOf(entry) + extra, way.node);
  }
}

/** Adds the words of the dictionary that begin at a position; whether there is one. */
function addKnown(start: u32, points: u32): bool {
  let found = false;
  let ideographs = true;
  let node: u32 = 0;
  for (let end = start; end < points; ) {
    const point = utf8Decode(placeOf(end));
    node = child(node, point);
    if (node === 0) break;
    ideographs = ideographs && isIdeograph(point);
    end++;
    const list = wordAt(node);
    if (list === 0) continue;
    addWords(list, start, end, ideographs);
    found = true;
  }
  return found;
}

function setAt(position: u32): u32 {
  return load<u8>(work + SET + position);
}

/** Adds the unknown words that begin at a position. */
function addUnknown(start: u32, points: u32, known: bool): void {
  for (let place: u32 = 0; place < 2; place++) {
    const category = categoryIn(setAt(start), place);
    if (category === NO_CATEGORY) return;
    if (known && !isAlways(category)) continue;
    let ideographs = isIdeograph(utf8Decode(placeOf(start)));
    let end = start + 1;
    if (formsRuns(category)) {
      while (end < points && categoryIn(setAt(end), place) === category) {
        ideographs = ideographs && isIdeograph(utf8Decode(placeOf(end)));
        end++;
      }
    }
    addWords(listOfCategory(category), start, end, ideographs);
  }
}

/** Finds the code points of the window; returns how many there are. */
function openWindow(): u32 {
  let points: u32 = 0;
  let at = windowStart;
  for (; at < textEnd && points < WINDOW; points++) {
    store<u32>(work + PLACE + ((<usize>points) << 2), <u32>at);
    store<u8>(work + SET + points, setOf(utf8Decode(at)));
    at += utf8Length(load<u8>(at));
  }
  store<u32>(work + PLACE + ((<usize>points) << 2), <u32>at);
  memory.fill(work + ENDING, 0, (<usize>(points + 1)) << 2);
  nodesAt = work + NODE;
  addNode(0, column, 0, 0);
  return points;
}

/** A new number for the ways to come to a place. */
function nextVisit(): void {
  if (visit === 0) memory.fill(work + BEFORE, 0, <usize>MAX_ROWS * offsetof<Before>());
  visit++;
}

/** Adds all words of the window; returns where it ends. */
function fillWindow(points: u32): u32 {
  for (let start: u32 = 0; start < points; start++) {
    if (firstEnding(start) === 0) continue;
    if (nodesAt + <usize>SPARE_NODES * offsetof<Node>() > work + NODES_END) return start;
    nextVisit();
    addUnknown(start, points, addKnown(start, points));
  }
  return points;
}

/** The cheapest node at the end of a window. */
function lastNode(end: u32): usize {
  if (placeOf(end) === textEnd) {
    nextVisit();
    return before(end, endRow()).node;
  }
  let best: usize = 0;
  for (let at = firstEnding(end); at !== 0; at = changetype<Node>(at).sibling) {
    if (best === 0 || changetype<Node>(at).cost < changetype<Node>(best).cost) best = at;
  }
  return best;
}

/** Settles the words of the next window and goes behind them. */
function cutWindow(): void {
  const end = fillWindow(openWindow());
  let at = lastNode(end);
  if (placeOf(end) !== textEnd) {
    // at least one word
    for (let node = changetype<Node>(at); <u32>node.end + UNSETTLED > end; node = changetype<Node>(at)) {
      if (changetype<Node>(node.previous).previous === 0) break;
      at = node.previous;
    }
  }
  const last = changetype<Node>(at);
  windowStart = placeOf(last.end);
  column = last.column;
  for (readyCount = 0; changetype<Node>(at).previous !== 0; at = changetype<Node>(at).previous) {
    store<u16>(work + READY + ((<usize>readyCount) << 1), changetype<Node>(at).end);
    readyCount++;
  }
}

/** The end of the next word; words come in order. */
export function latticeEnd(): usize {
  if (readyCount === 0) cutWindow();
  readyCount--;
  return placeOf(load<u16>(work + READY + ((<usize>readyCount) << 1)));
}
