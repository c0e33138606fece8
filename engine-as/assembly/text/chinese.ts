import { workBlock } from '../runtime/arena';
import { utf8Decode, utf8Length } from './utf8';
import { child, rarestScore, scoreOf, wordAt } from './word-list';

/*
 * Segments Chinese text into words. Of all divisions of a sentence into words of the list the most probable one is chosen (the
 * product of word frequencies is greatest, as in Jieba). Then every word of more than two characters is divided again into short
 * words.
 *
 * A sentence is processed in spans; a span ends where no word of the list crosses. Tables in the second half of the work block:
 *
 *   | f64 best[SPAN + 1] | u32 place[SPAN + 1] | u16 next[SPAN] | u16 firstEdge[SPAN + 1] | (u16 end, u16 word) edges[EDGES] |
 *
 * The ends of the words found are stored before these tables.
 */

/** The longest span in code points; longer ones are divided there. */
const SPAN: u32 = 512;
const EDGES: u32 = 3072;
const BEST: usize = 40960;
const PLACE: usize = BEST + <usize>(SPAN + 1) * 8;
const NEXT: usize = PLACE + <usize>(SPAN + 1) * 4;
const FIRST_EDGE: usize = NEXT + <usize>SPAN * 2;
const EDGE: usize = FIRST_EDGE + <usize>(SPAN + 1) * 2 + 2;
const READY: usize = 32768;

let textEnd: usize = 0;
/** end of the text that was segmented so far */
let textAt: usize = 0;
/** start of a run of single ASCII letters and digits; 0: none */
let runStart: usize = 0;
let readyAt: u32 = 0;
let readyCount: u32 = 0;

export function chineseBegin(start: usize, end: usize): void {
  textAt = start;
  textEnd = end;
  runStart = 0;
  readyAt = readyCount = 0;
}

function isHan(point: u32): bool {
  if (point < 0x20000)
    return (point >= 0x3400 && point <= 0x4dbf) || (point >= 0x4e00 && point <= 0x9fff) || (point >= 0xf900 && point <= 0xfaff);
  return point <= 0x2a6df || (point >= 0x2a700 && point <= 0x2ebef) || (point >= 0x2f800 && point <= 0x2fa1f);
}

function isAsciiAlphanumeric(point: u32): bool {
  return point - 0x30 < 10 || (point | 0x20) - 0x61 < 26;
}

/** Whether a code point may be part of a word. Any other is a word of its own. */
function isWordPoint(point: u32): bool {
  if (point >= 0x80) return isHan(point);
  // + # & . _ % -
  return (
    isAsciiAlphanumeric(point) ||
    point === 0x2b ||
    point === 0x23 ||
    point === 0x26 ||
    point === 0x2e ||
    point === 0x5f ||
    point === 0x25 ||
    point === 0x2d
  );
}

function push(end: usize): void {
  store<u32>(workBlock() + READY + (readyCount << 2), <u32>end);
  readyCount++;
}

function closeRun(end: usize): void {
  if (runStart === 0) return;
  runStart = 0;
  push(end);
}

/**
 * Divides a word of more than two code points: each part is a word of the list with two code points, otherwise one with three, otherwise
 * a single code point.
 */
function divideWord(start: usize, end: usize): void {
  let at = start;
  while (at < end) {
    let node: u32 = 0;
    let count: u32 = 0;
    let part = at;
    let next = at;
    while (next < end && count < 3 && part === at) {
      node = child(node, utf8Decode(next));
      if (node === 0) break;
      next += utf8Length(load<u8>(next));
      count++;
      if (count >= 2 && wordAt(node) !== 0) part = next;
    }
    at = part === at ? at + utf8Length(load<u8>(at)) : part;
    push(at);
  }
}

function isAlphanumericWord(at: usize, end: usize): bool {
  for (; at < end; at++) {
    if (!isAsciiAlphanumeric(load<u8>(at))) return false;
  }
  return true;
}

function addWord(start: usize, end: usize, points: u32): void {
  if (points === 1 && isAsciiAlphanumeric(load<u8>(start))) {
    if (runStart === 0) runStart = start;
    return;
  }
  closeRun(start);
  if (points <= 2 || isAlphanumericWord(start, end)) push(end);
  else divideWord(start, end);
}

/** Adds the words of the list that begin at `at`, code point number `position` of the span. Returns the number of edges. */
function addEdges(at: usize, position: u32, edges: u32): u32 {
  const work = workBlock();
  let node: u32 = 0;
  let count: u32 = 0;
  while (at < textEnd && position + count < SPAN) {
    const point = utf8Decode(at);
    if (!isWordPoint(point)) break;
    node = child(node, point);
    if (node === 0) break;
    at += utf8Length(load<u8>(at));
    count++;
    const word = wordAt(node);
    if (word === 0 || edges === EDGES) continue;
    store<u32>(work + EDGE + ((<usize>edges) << 2), (position + count) | (word << 16));
    edges++;
  }
  return edges;
}

/** Finds the next span and its edges. Returns its number of code points. */
function openSpan(): u32 {
  const work = workBlock();
  let at = textAt;
  let position: u32 = 0;
  let reach: u32 = 1;
  let edges: u32 = 0;
  while (position < reach) {
    store<u32>(work + PLACE + ((<usize>position) << 2), <u32>at);
    store<u16>(work + FIRST_EDGE + ((<usize>position) << 1), edges);
    const before = edges;
    edges = addEdges(at, position, edges);
    if (edges !== before) reach = max(reach, load<u16>(work + EDGE + ((<usize>(edges - 1)) << 2)));
    at += utf8Length(load<u8>(at));
    position++;
  }
  store<u32>(work + PLACE + ((<usize>position) << 2), <u32>at);
  store<u16>(work + FIRST_EDGE + ((<usize>position) << 1), edges);
  return position;
}

/** Finds the most probable division from every code point of the span to its end, from right to left. */
function findPath(points: u32): void {
  const work = workBlock();
  store<f64>(work + BEST + ((<usize>points) << 3), 0);
  let position = points;
  while (position > 0) {
    position--;
    const end = <u32>load<u16>(work + FIRST_EDGE + ((<usize>position) << 1), 2);
    let edge = <u32>load<u16>(work + FIRST_EDGE + ((<usize>position) << 1));
    let best = -Infinity;
    let next = position + 1;
    if (edge === end) best = rarestScore() + load<f64>(work + BEST + ((<usize>next) << 3));
    for (; edge < end; edge++) {
      const packed = load<u32>(work + EDGE + ((<usize>edge) << 2));
      const score = scoreOf(packed >> 16) + load<f64>(work + BEST + ((<usize>(packed & 0xffff)) << 3));
      if (score < best) continue;
      best = score;
      next = packed & 0xffff;
    }
    store<f64>(work + BEST + ((<usize>position) << 3), best);
    store<u16>(work + NEXT + ((<usize>position) << 1), next);
  }
}

function divideSpan(): void {
  const work = workBlock();
  const points = openSpan();
  findPath(points);
  for (let position: u32 = 0; position < points; ) {
    const next = <u32>load<u16>(work + NEXT + ((<usize>position) << 1));
    const start = <usize>load<u32>(work + PLACE + ((<usize>position) << 2));
    addWord(start, load<u32>(work + PLACE + ((<usize>next) << 2)), next - position);
    position = next;
  }
  textAt = load<u32>(work + PLACE + ((<usize>points) << 2));
}

/** The end of the next word, in text order. */
export function chineseEnd(): usize {
  if (readyAt === readyCount) readyAt = readyCount = 0;
  while (readyCount === 0 && textAt < textEnd) {
    if (isWordPoint(utf8Decode(textAt))) {
      divideSpan();
    } else {
      closeRun(textAt);
      textAt += utf8Length(load<u8>(textAt));
      push(textAt);
    }
    if (textAt >= textEnd) closeRun(textAt);
  }
  return load<u32>(workBlock() + READY + (readyAt++ << 2));
}
