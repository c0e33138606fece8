/** Writes texts and numbers of documents as `_formatted` shows them: matches in tags, cropped around them. */
import { QUOTE } from '../json/signs';
import { unescapeString } from '../json/strings';
import { alloc } from '../runtime/arena';
import { Buffer, bufferCreate, bufferRoom } from '../runtime/buffer';
import { Cropper, cropperCreate, cropText } from './crop';
import { findMatches, Match } from './matches';
import { Output } from './output';
import { PathNode } from './path-tree';
import { FormatPlan, localesOf } from './plan';
import { readWords } from './read-words';
import { TermMatcher } from './term-matcher';
import { TextWords, textWordsCreate } from './text-words';

@unmanaged
export class TextFormatter {
  plan: FormatPlan;
  tokenizer: usize;
  matcher: TermMatcher;
  cropper: Cropper;
  words: TextWords;
  /** Buffer of the Match of the text formatted last */
  matches: usize;
  /** Buffer of a text that has escapes, without them */
  unescaped: usize;
}

export function textFormatterCreate(plan: FormatPlan, matcher: TermMatcher, tokenizer: usize): TextFormatter {
  const formatter = changetype<TextFormatter>(alloc(offsetof<TextFormatter>()));
  formatter.plan = plan;
  formatter.tokenizer = tokenizer;
  formatter.matcher = matcher;
  formatter.cropper = cropperCreate(formatter.matcher.terms.positionCount);
  formatter.words = textWordsCreate();
  formatter.matches = bufferCreate(16 * offsetof<Match>());
  formatter.unescaped = bufferCreate(1024);
  return formatter;
}

/**
 * Finds the matches in a text or number of a document, and writes it in quotes.
 * @param from, to the value in the JSON; `escaped`: whether it has escapes
 * @param out null: the text is not written
 * @param collect whether the caller wants the matches of the whole text
 */
export function formatText(
  formatter: TextFormatter,
  node: PathNode,
  from: usize,
  to: usize,
  escaped: bool,
  out: Output | null,
  collect: bool,
): void {
  changetype<Buffer>(formatter.matches).length = 0;
  const rule = node.rule;
  const isText = load<u8>(from) === QUOTE;
  let text = isText ? from + 1 : from;
  let length = <u32>((isText ? to - 1 : to) - text);
  // A text has at most as many words as bytes.
  const crop: u32 = isText && out !== null && length >= rule.crop ? rule.crop : 0;
  const matching = !formatter.matcher.empty && (collect || crop > 0 || (out !== null && rule.highlight !== 0));
  if (!matching && crop === 0) {
    if (out !== null) {
      out.byte(QUOTE);
      out.copy(text, length);
      out.byte(QUOTE);
    }
    return;
  }
  if (escaped) {
    const plain = bufferRoom(formatter.unescaped, length);
    length = unescapeString(text, length, plain);
    text = plain;
  }
  const words = formatter.words;
  const locales = localesOf(formatter.plan, rule);
  readWords(words, formatter.tokenizer, text, length, locales, matching ? formatter.matcher : null, crop > 0);
  if (matching) findMatches(formatter.matcher, words, text, rule.searchable !== 0, formatter.matches);
  if (out === null) return;
  out.byte(QUOTE);
  let shownTo = length;
  let shownFrom: u32 = 0;
  if (crop > 0 && words.wordCount >= crop) {
    cropText(formatter.cropper, words, length, formatter.matches, crop);
    shownFrom = formatter.cropper.from;
    shownTo = formatter.cropper.to;
  }
  const plan = formatter.plan;
  if (shownFrom > 0) out.copy(plan.address(plan.marker), plan.markerLength);
  writeTagged(formatter, text, shownFrom, shownTo, escaped, rule.highlight !== 0, out);
  if (shownTo < length) out.copy(plan.address(plan.marker), plan.markerLength);
  out.byte(QUOTE);
}

/** Writes a part of a text with its matches in tags. */
function writeTagged(
  formatter: TextFormatter,
  text: usize,
  from: u32,
  to: u32,
  escaped: bool,
  highlight: bool,
  out: Output,
): void {
  const plan = formatter.plan;
  const matches = changetype<Buffer>(formatter.matches);
  const end = matches.data + (highlight ? matches.length : 0);
  let at = from;
  for (let pointer = matches.data; pointer < end; pointer += offsetof<Match>()) {
    const match = changetype<Match>(pointer);
    const first = max<u32>(match.from, from);
    const last = min<u32>(match.to, to);
    if (first >= last) continue;
    writePart(text, at, first, escaped, out);
    out.copy(plan.address(plan.preTag), plan.preTagLength);
    writePart(text, first, last, escaped, out);
    out.copy(plan.address(plan.postTag), plan.postTagLength);
    at = last;
  }
  writePart(text, at, to, escaped, out);
}

function writePart(text: usize, from: u32, to: u32, escaped: bool, out: Output): void {
  if (escaped) out.escaped(text + from, to - from);
  else out.copy(text + from, to - from);
}
