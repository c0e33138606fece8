/** Reads the tokens of a query (tokenized with the index's stop words and separators): its terms, and what it excludes. */
import { Word } from '../plan/plan';
import { alloc } from '../runtime/arena';
import { Buffer, bufferCreate, bufferRoom } from '../runtime/buffer';
import { tokenize } from '../text/records';
import { TOKEN_HARD, TOKEN_STOP, TOKEN_WORD } from '../text/tokenizer';

/** The greatest number of terms: words outside phrases, and phrases. */
export const MAX_TERMS: u32 = 10;
/** The greatest number of tokens that are read, including separators. */
const MAX_TOKENS: u32 = 1000;
/** What a hard separator adds to the position, besides the step of the next word. */
const HARD_SEPARATOR_GAP: u32 = 7;
/** Positions have 16 bits and wrap around. */
const POSITION_MASK: u32 = 0xffff;

/** A term of the query: a plain word, or a phrase whose stop words are gaps. */
@unmanaged
export class Term {
  /** Buffer of Word */
  words: usize;
  phrase: bool;
  /** whether it is the last word of the query, which also matches as a prefix */
  prefix: bool;
  /** positions of its first and last word in the query */
  start: u32;
  end: u32;
}

@unmanaged
export class Query {
  /** Buffer of Term */
  terms: usize;
  /** Buffer of Word */
  negativeWords: usize;
  /** Buffer of Term */
  negativePhrases: usize;
  /** Buffer of Word: stop words outside quotes, which match nothing but are highlighted */
  stopWords: usize;
}

export function wordCount(words: usize): u32 {
  return <u32>(changetype<Buffer>(words).length / offsetof<Word>());
}

export function wordAt(words: usize, index: u32): Word {
  return changetype<Word>(changetype<Buffer>(words).data + <usize>index * offsetof<Word>());
}

function pushWord(words: usize, text: usize, length: u32): void {
  const word = changetype<Word>(bufferRoom(words, offsetof<Word>()));
  word.text = text;
  word.length = length;
  changetype<Buffer>(words).length += offsetof<Word>();
}

export function termCount(terms: usize): u32 {
  return <u32>(changetype<Buffer>(terms).length / offsetof<Term>());
}

export function termAt(terms: usize, index: u32): Term {
  return changetype<Term>(changetype<Buffer>(terms).data + <usize>index * offsetof<Term>());
}

function newTerm(terms: usize): Term {
  const term = changetype<Term>(bufferRoom(terms, offsetof<Term>()));
  changetype<Buffer>(terms).length += offsetof<Term>();
  return term;
}

export function wordsCreate(): usize {
  return bufferCreate(4 * offsetof<Word>());
}

/** The state of reading: the open phrase, if any. */
@unmanaged
class Reading {
  /** Buffer of Word; 0: no phrase is open */
  words: usize;
  negative: bool;
  /** whether a word other than a stop word was read */
  begun: bool;
  start: u32;
  end: u32;
}

function openPhrase(reading: Reading, negative: bool): void {
  reading.words = wordsCreate();
  reading.negative = negative;
  reading.begun = false;
  reading.start = 0;
  reading.end = 0;
}

function closePhrase(reading: Reading, query: Query): void {
  const words = reading.words;
  reading.words = 0;
  if (words === 0 || !reading.begun) return;
  const term = newTerm(reading.negative ? query.negativePhrases : query.terms);
  term.words = words;
  term.phrase = true;
  term.prefix = false;
  term.start = reading.start;
  term.end = reading.end;
}

/** Reads a query; empty: no terms. `prefixSearch`: whether the last word may be a prefix. */
export function readQuery(tokenizer: usize, text: usize, length: u32, locales: usize, prefixSearch: bool): Query {
  const query = changetype<Query>(alloc(offsetof<Query>()));
  query.terms = bufferCreate(4 * offsetof<Term>());
  query.negativeWords = wordsCreate();
  query.negativePhrases = bufferCreate(offsetof<Term>());
  query.stopWords = wordsCreate();
  if (length === 0) return query;
  const tokens = tokenize(tokenizer, text, length, locales, false);
  const count = min<u32>(tokens.count, MAX_TOKENS);
  let last = count;
  while (last > 0 && tokens.at(last - 1).lemmaLength === 0) last--;
  const reading = changetype<Reading>(alloc(offsetof<Reading>()));
  reading.words = 0;
  let position: u32 = POSITION_MASK;
  let negateNext = false;
  let afterSpace = true;
  for (let i: u32 = 0; i < last; i++) {
    const token = tokens.at(i);
    const lemma: usize = token.lemma;
    const bytes = token.lemmaLength;
    if (bytes === 0) continue;
    // Terms after the tenth are ignored, and so is an open phrase.
    if (termCount(query.terms) >= MAX_TERMS) return query;
    const kind: u32 = token.kind;
    if (kind === TOKEN_WORD || kind === TOKEN_STOP) {
      const isStop = kind === TOKEN_STOP;
      const isLast = i === last - 1;
      position = (position + 1) & POSITION_MASK;
      if (reading.words !== 0) {
        pushWord(reading.words, isStop ? 0 : lemma, isStop ? 0 : bytes);
        if (!isStop && !reading.begun) {
          reading.begun = true;
          reading.start = position;
        }
        reading.end = position;
      } else if (negateNext) {
        pushWord(query.negativeWords, lemma, bytes);
        negateNext = false;
      } else {
        if (isStop) pushWord(query.stopWords, lemma, bytes);
        if (isLast || !isStop) pushPlain(query, lemma, bytes, isLast && prefixSearch, position);
      }
    } else {
      if (kind === TOKEN_HARD) {
        position = (position + HARD_SEPARATOR_GAP) & POSITION_MASK;
        if (reading.words !== 0) {
          closePhrase(reading, query);
          openPhrase(reading, reading.negative);
        }
      }
      if (containsQuote(lemma, bytes)) {
        if (reading.words !== 0) closePhrase(reading, query);
        else openPhrase(reading, negateNext);
      }
      negateNext = reading.words === 0 && bytes === 1 && load<u8>(lemma) === MINUS && afterSpace;
    }
    afterSpace = endsWithSpace(lemma, bytes);
  }
  closePhrase(reading, query);
  return query;
}

const QUOTE: u8 = 0x22;
const MINUS: u8 = 0x2d;

function pushPlain(query: Query, lemma: usize, bytes: u32, prefix: bool, position: u32): void {
  const term = newTerm(query.terms);
  term.words = wordsCreate();
  pushWord(term.words, lemma, bytes);
  term.phrase = false;
  term.prefix = prefix;
  term.start = position;
  term.end = position;
}

function containsQuote(text: usize, length: u32): bool {
  for (let at: u32 = 0; at < length; at++) if (load<u8>(text + at) === QUOTE) return true;
  return false;
}

/** Whether the last code point is white space. */
function endsWithSpace(text: usize, length: u32): bool {
  const last: u32 = load<u8>(text + length - 1);
  if (last < 0x80) return last === 0x20 || (last >= 0x09 && last <= 0x0d);
  if (length >= 2 && load<u8>(text + length - 2) === 0xc2) return last === 0x85 || last === 0xa0;
  if (length < 3) return false;
  const first: u32 = load<u8>(text + length - 3);
  const point = ((first & 0x0f) << 12) | ((<u32>load<u8>(text + length - 2) & 0x3f) << 6) | (last & 0x3f);
  if (first < 0xe0 || first >= 0xf0) return false;
  if (point === 0x1680 || (point >= 0x2000 && point <= 0x200a)) return true;
  return point === 0x2028 || point === 0x2029 || point === 0x202f || point === 0x205f || point === 0x3000;
}
