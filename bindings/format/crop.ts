/**
 * The window of a text that shows the best matches within a number of words.
 *
 *   text     Quiet mornings suit long rides. The red bicycle waits by the old stone bridge, polished and ready.
 *   core                                             [bicycle                         bridge]   the best run of matches
 *   window                              [rides. The red bicycle waits by the old stone bridge]  grown to the length
 */

export const WORD = 0;
export const SOFT = 1;
export const HARD = 2;

/** Tokens of a text, in order and without gaps: bounds in bytes. */
export interface TextTokens {
  count: number;
  /** WORD, SOFT or HARD */
  kinds: Uint8Array;
  starts: Uint32Array;
  ends: Uint32Array;
}

/** A match of the text; ascending and not overlapping. */
export interface TextMatch {
  firstToken: number;
  lastToken: number;
  /** Numbers of its words among the words of the text. */
  firstWord: number;
  lastWord: number;
  /** Words of the query it stands for. */
  ids: readonly number[];
}

export interface Window {
  /** Bytes of the text. */
  from: number;
  to: number;
}

/** Greatest distance between two matches that makes a difference. */
const FAR = 7;

/** @param length words to show, at least 1 */
export function cropWindow(tokens: TextTokens, textLength: number, matches: readonly TextMatch[], length: number): Window {
  const [first, last] = bestRun(matches, length);
  let left = first ? first.firstToken - 1 : -1;
  let right = last ? last.lastToken + 1 : 0;
  const words = first && last ? last.lastWord - first.firstWord + 1 : 0;
  if (first && words > length) {
    right = afterWords(tokens, first.firstToken, length);
  } else {
    [left, right] = grow(tokens, left, right, length - words);
  }
  return {
    from: left >= 0 ? (tokens.ends[left] as number) : 0,
    to: right < tokens.count ? (tokens.starts[right] as number) : textLength,
  };
}

/** First and last match of the run to show; none when nothing matches. */
function bestRun(matches: readonly TextMatch[], length: number): [first: TextMatch | undefined, last: TextMatch | undefined] {
  if (matches.length < 2) return [matches[0], matches[0]];
  let best: { from: number; to: number; score: Score } | null = null;
  const consider = (from: number, to: number) => {
    if (from > to) return;
    const score = scoreOf(matches.slice(from, to + 1));
    if (best === null || isBetter(score, best.score)) best = { from, to, score };
  };
  const at = (position: number) => matches[position] as TextMatch;
  const final = matches.length - 1;
  let from = 0;
  for (let i = 0; i <= final; i++) {
    const end = at(i).lastWord;
    if (end - at(from).firstWord < length) continue;
    if (i > 0) consider(from, i - 1);
    do from++;
    while (from < final && at(from).firstWord <= end && end - at(from).firstWord >= length);
    if (from > final) from = final;
  }
  if (from !== final || at(from).lastWord - at(from).firstWord + 1 < length) consider(from, final);
  const chosen = best as { from: number; to: number } | null;
  return chosen ? [at(chosen.from), at(chosen.to)] : [at(0), at(0)];
}

/** Distinct query words; closeness; neighbours in the order of the query. Compared in this order. */
type Score = [distinct: number, closeness: number, ordered: number];

function scoreOf(run: readonly TextMatch[]): Score {
  const distinct = new Set<number>();
  let closeness = 0;
  let ordered = 0;
  for (const [position, match] of run.entries()) {
    for (const id of match.ids) distinct.add(id);
    const inner = match.lastWord - match.firstWord;
    closeness -= inner;
    ordered += inner;
    const next = run[position + 1];
    if (!next) break;
    closeness -= Math.min(FAR, next.firstWord - match.lastWord);
    if (Math.min(...next.ids) > Math.min(...match.ids)) ordered++;
  }
  return [distinct.size, closeness, ordered];
}

function isBetter(score: Score, other: Score): boolean {
  for (let i = 0; i < score.length; i++) {
    if (score[i] !== other[i]) return (score[i] as number) > (other[i] as number);
  }
  return false;
}

/** The token after a number of words, counted from a token on. */
function afterWords(tokens: TextTokens, token: number, words: number): number {
  while (words > 0) if (tokens.kinds[token++] === WORD) words--;
  return token;
}

/** Takes tokens on both sides (`left` and `right` are the next ones) until `words` are taken or none is left. */
function grow({ kinds, count }: TextTokens, left: number, right: number, words: number): [left: number, right: number] {
  while (words > 0) {
    if (left < 0 && right >= count) break;
    if (left < 0 || right >= count) {
      const kind = left < 0 ? kinds[right++] : kinds[left--];
      if (kind === WORD) words--;
      continue;
    }
    const before = kinds[left] as number;
    const after = kinds[right] as number;
    if (before === WORD || after === WORD) {
      const both = before === after;
      if (before === WORD) {
        left--;
        words--;
      }
      if (after === WORD && (!both || words > 0)) {
        right++;
        words--;
      }
    } else if (before !== after) {
      // a hard separator is crossed only when the other side has nothing softer
      if (before === SOFT) left--;
      else right++;
    } else {
      left--;
      // no separator at the end of the window
      if (words > 1) right++;
    }
  }
  return [left, right];
}
