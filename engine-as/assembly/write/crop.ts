/**
 * Selects the part of a text that shows the best matches within a number of words.
 *
 *   text     Quiet mornings suit long rides. The red bicycle waits by the old stone bridge, polished and ready.
 *   core                                             [bicycle                         bridge]   the best run of matches
 *   window                              [rides. The red bicycle waits by the old stone bridge]  extended to the length
 */
import { alloc } from '../runtime/arena';
import { Buffer, bufferCreate, bufferPush32 } from '../runtime/buffer';
import { TOKEN_HARD, TOKEN_SOFT } from '../text/tokenizer';
import { Match } from './matches';
import { NO_POSITION } from './terms';
import { TextWords } from './text-words';

/** Distances between two matches are capped at this. */
const FAR: u32 = 7;

@unmanaged
export class Cropper {
  /** Buffer of the addresses of the matches that determine the window: not those of stop words. */
  choosing: usize;
  count: u32;
  /** Bitmap over query words: those in the run that is being scored. */
  seen: usize;
  seenBytes: usize;
  /** The best run so far: numbers of its matches, and its score (distinct query words, closeness, pairs in order). */
  found: bool;
  bestFrom: u32;
  bestTo: u32;
  distinct: i32;
  closeness: i32;
  ordered: i32;
  /** Bytes of the window. */
  from: u32;
  to: u32;
}

/** @param positions more than the greatest number of a query word */
export function cropperCreate(positions: u32): Cropper {
  const cropper = changetype<Cropper>(alloc(offsetof<Cropper>()));
  cropper.choosing = bufferCreate(256);
  cropper.seenBytes = (<usize>positions + 7) >>> 3;
  cropper.seen = alloc(cropper.seenBytes);
  return cropper;
}

/**
 * Selects the window of a text.
 * @param words with the tokens of the text
 * @param matches Buffer of Match
 * @param length number of words to show, at least 1
 */
export function cropText(cropper: Cropper, words: TextWords, textLength: u32, matches: usize, length: u32): void {
  choose(cropper, matches);
  const tokens = changetype<Buffer>(words.tokens).data;
  const tokenCount = <i32>words.tokenCount;
  let left: i32 = -1;
  let right: i32 = 0;
  let shown: u32 = 0;
  if (cropper.count > 0) {
    bestRun(cropper, <i32>length);
    const first = matchAt(cropper, cropper.bestFrom);
    const last = matchAt(cropper, cropper.bestTo);
    left = <i32>first.firstToken - 1;
    right = <i32>last.lastToken + 1;
    shown = last.lastWord - first.firstWord + 1;
  }
  if (shown > length) {
    right = left + 1;
    for (let rest = length; rest > 0; right++) if (isWord(tokens, right)) rest--;
  } else {
    // Adds tokens on both sides until the length is reached or none is left.
    let rest = length - shown;
    while (rest > 0 && (left >= 0 || right < tokenCount)) {
      if (left < 0 || right >= tokenCount) {
        if (isWord(tokens, left < 0 ? right++ : left--)) rest--;
        continue;
      }
      const before = isWord(tokens, left);
      const after = isWord(tokens, right);
      if (before || after) {
        if (before) {
          left--;
          rest--;
        }
        if (after && rest > 0) {
          right++;
          rest--;
        }
      } else if (kindOf(tokens, left) !== kindOf(tokens, right)) {
        // A hard separator is only crossed when the other side has nothing softer.
        if (kindOf(tokens, left) === TOKEN_HARD) right++;
        else left--;
      } else {
        left--;
        // The window does not end with a separator.
        if (rest > 1) right++;
      }
    }
  }
  cropper.from = left >= 0 ? tokenEnd(tokens, left) : 0;
  cropper.to = right >= tokenCount ? textLength : right > 0 ? tokenEnd(tokens, right - 1) : 0;
}

function kindOf(tokens: usize, token: i32): u32 {
  return load<u32>(tokens + ((<usize>token) << 2)) & 3;
}

function isWord(tokens: usize, token: i32): bool {
  return kindOf(tokens, token) < TOKEN_SOFT;
}

function tokenEnd(tokens: usize, token: i32): u32 {
  return load<u32>(tokens + ((<usize>token) << 2)) >>> 2;
}

function choose(cropper: Cropper, matches: usize): void {
  const all = changetype<Buffer>(matches);
  changetype<Buffer>(cropper.choosing).length = 0;
  cropper.count = 0;
  for (let at = all.data; at < all.data + all.length; at += offsetof<Match>()) {
    if (changetype<Match>(at).firstPosition === NO_POSITION) continue;
    bufferPush32(cropper.choosing, <u32>at);
    cropper.count++;
  }
}

function matchAt(cropper: Cropper, index: u32): Match {
  return changetype<Match>(<usize>load<u32>(changetype<Buffer>(cropper.choosing).data + ((<usize>index) << 2)));
}

/** Finds the best run of matches that fits; the first match alone when there is none. */
function bestRun(cropper: Cropper, length: i32): void {
  cropper.found = false;
  cropper.bestFrom = 0;
  cropper.bestTo = 0;
  const final = cropper.count - 1;
  if (final === 0) return;
  let from: u32 = 0;
  for (let i: u32 = 0; i <= final; i++) {
    const end = <i32>matchAt(cropper, i).lastWord;
    if (end - <i32>matchAt(cropper, from).firstWord < length) continue;
    if (i > 0) consider(cropper, from, i - 1);
    from++;
    while (from < final) {
      const start = <i32>matchAt(cropper, from).firstWord;
      if (start > end || end - start < length) break;
      from++;
    }
    if (from > final) from = final;
  }
  const rest = matchAt(cropper, from);
  if (from !== final || <i32>rest.lastWord - <i32>rest.firstWord + 1 < length) consider(cropper, from, final);
}

/** Keeps a run if it is better than the best one so far. */
function consider(cropper: Cropper, from: u32, to: u32): void {
  if (from > to) return;
  memory.fill(cropper.seen, 0, cropper.seenBytes);
  let distinct: i32 = 0;
  let closeness: i32 = 0;
  let ordered: i32 = 0;
  for (let i = from; i <= to; i++) {
    const match = matchAt(cropper, i);
    for (let position = match.firstPosition; position <= match.lastPosition; position++) distinct += see(cropper, position);
    const inner = <i32>(match.lastWord - match.firstWord);
    closeness -= inner;
    ordered += inner;
    if (i === to) break;
    const next = matchAt(cropper, i + 1);
    closeness -= <i32>min<u32>(FAR, next.firstWord - match.lastWord);
    if (next.firstPosition > match.firstPosition) ordered++;
  }
  if (cropper.found && !isBetter(cropper, distinct, closeness, ordered)) return;
  cropper.found = true;
  cropper.bestFrom = from;
  cropper.bestTo = to;
  cropper.distinct = distinct;
  cropper.closeness = closeness;
  cropper.ordered = ordered;
}

function isBetter(best: Cropper, distinct: i32, closeness: i32, ordered: i32): bool {
  if (distinct !== best.distinct) return distinct > best.distinct;
  if (closeness !== best.closeness) return closeness > best.closeness;
  return ordered > best.ordered;
}

/** Marks a query word as seen; returns 1 the first time. */
function see(cropper: Cropper, position: u32): i32 {
  const byte = cropper.seen + (position >>> 3);
  const bit: u32 = 1 << (position & 7);
  if (load<u8>(byte) & bit) return 0;
  store<u8>(byte, load<u8>(byte) | bit);
  return 1;
}
