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
  listOfCategory,
  MAX_ROWS,
  mayReplaceKnown,
  NO_CATEGORY,
  rowOf,
  setOf,
  startColumn,
} from './lattice-dictionary';
import { utf8Decode, utf8Length } from './utf8';
import { child, wordAt } from './word-list';

/*
 * Segments Japanese and Korean text. Of all sequences of words the cheapest one is chosen (Viterbi's algorithm), where words have
 * costs and so have adjacent words, as in MeCab. Long words cost extra, so that compounds are divided. Text that is not in the
 * dictionary is divided by categories of characters: one word up to the next category, or one per code point.
 *
 * Text is processed in windows. Words near the end of a window may depend on what follows, so they are processed again in the
 * next window, unless the text ends. Tables in the work block, after those of other segmenters:
 *
 *   | u32 place[WINDOW + 1] | u8 set[WINDOW] | u32 ending[WINDOW + 1] | (u32 visit, i32 cost, u32 node) before[MAX_ROWS] | nodes |
 */

const WINDOW: u32 = 512;
/** Code points before the end of a window whose words are not final; more than nearly all words have. */
const UNSETTLED: u32 = 64;
const NODES: u32 = 8192;
/** Number of free nodes needed for the words that begin at one position. When fewer are left, the window ends. */
const SPARE_NODES: u32 = 1024;

/** The cheapest sequence of words from the start of the window to `end` whose last word has the column `column`. */
@unmanaged
class Node {
  cost: i32;
  /** next Node with the same end; 0: none */
  sibling: u32;
  /** the Node before the last word; 0 at the start of the window */
  previous: u32;
  end: u16;
  column: u16;
}

/** The cheapest node that ends at a position, for a following word of a given row. */
@unmanaged
class Before {
  /** identifies the position for which this was computed */
  visit: u32;
  cost: i32;
  /** address of a Node */
  node: u32;
}

const PLACE: usize = 65536;
const SET: usize = PLACE + <usize>(WINDOW + 1) * 4;
const ENDING: usize = (SET + <usize>WINDOW + 3) & ~3;
const BEFORE: usize = ENDING + <usize>(WINDOW + 1) * 4;
const NODE: usize = BEFORE + <usize>MAX_ROWS * offsetof<Before>();
const NODES_END: usize = NODE + <usize>NODES * offsetof<Node>();

/** u16[]: ends of the final words, from the last to the first. They overwrite `ending`, which is no longer needed then. */
const READY: usize = ENDING;

/**
 * Extra costs of long words, per code point: beyond IDEOGRAPHS_FREE for words of ideographs only, beyond LETTERS_FREE for others.
 */
const IDEOGRAPHS_FREE: u32 = 2;
const IDEOGRAPH_COST: i32 = 3000;
const LETTERS_FREE: u32 = 7;
const LETTER_COST: i32 = 1700;

let work: usize = 0;
let textEnd: usize = 0;
let windowStart: usize = 0;
/** column of the word before the window */
let column: u32 = 0;
let nodesAt: usize = 0;
let readyCount: u32 = 0;
/** number of the current position; 0: the table `before` is not initialized */
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

/** Adds a sequence of words that ends at a position, unless one with the same column is at least as cheap. */
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

/** The cheapest sequence that ends at a position, for a following word of the given row. */
function before(position: u32, row: u32): Before {
  const found = changetype<Before>(work + BEFORE + <usize>row * offsetof<Before>());
  if (found.visit === visit) return found;
  const costs = costsOfRow(row);
  let best: i32 = i32.MAX_VALUE;
  let bestNode: usize = 0;
  for (let at = firstEnding(position); at !== 0; at = changetype<Node>(at).sibling) {
    const node = changetype<Node>(at);
    const cost = node.cost + <i32>load<i16>(costs + ((<usize>node.column) << 1));
    // Among equals the one added first counts; it is the last in the list.
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

/** Adds the dictionary words that begin at a position. Returns whether there are any. */
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
    if (known && !mayReplaceKnown(category)) continue;
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

/** Reads the code points of the window. Returns their number. */
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

/** Invalidates the table `before` for the next position. */
function nextVisit(): void {
  if (visit === 0) memory.fill(work + BEFORE, 0, <usize>MAX_ROWS * offsetof<Before>());
  visit++;
}

/** Adds all words of the window. Returns the position where it ends. */
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

/** Finds the final words of the next window and moves behind them. */
function divideWindow(): void {
  const end = fillWindow(openWindow());
  let at = lastNode(end);
  if (placeOf(end) !== textEnd) {
    // At least one word is final.
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

/** The end of the next word, in text order. */
export function latticeEnd(): usize {
  if (readyCount === 0) divideWindow();
  readyCount--;
  return placeOf(load<u16>(work + READY + ((<usize>readyCount) << 1)));
}
