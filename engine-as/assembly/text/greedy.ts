import { utf8Decode, utf8Length } from './utf8';
import { child, wordAt } from './word-list';

/** The end of the longest word of the current list that begins at `at`; `at` when there is none. */
export function longestWord(at: usize, end: usize): usize {
  let longest = at;
  let node: u32 = 0;
  while (at < end) {
    node = child(node, utf8Decode(at));
    if (node === 0) break;
    at += utf8Length(load<u8>(at));
    if (wordAt(node) !== 0) longest = at;
  }
  return longest;
}

/** The end of the next word: of the longest one in the list, or of one code point. */
export function greedyEnd(at: usize, end: usize): usize {
  const longest = longestWord(at, end);
  return longest !== at ? longest : at + utf8Length(load<u8>(at));
}

/** The end of the next part of a compound: of the longest word in the list, or of the text before the next such word. */
export function compoundEnd(at: usize, end: usize): usize {
  let next = longestWord(at, end);
  if (next !== at) return next;
  do {
    at += utf8Length(load<u8>(at));
    if (at >= end) break;
    next = longestWord(at, end);
  } while (next === at);
  return at;
}
