/** Synonyms of the words of a query. */
import { IndexPlan, Phrase, SynonymEntry, Word } from '../plan/plan';
import { inIndex } from '../plan/search';
import { alloc } from '../runtime/arena';
import { bufferPush32 } from '../runtime/buffer';
import { compareBytes } from './word-lists';

const MAX_SYNONYMS: u32 = 50;
const MAX_SYNONYM_WORDS: u32 = 100;

/** Separates the words of a key. */
const SEPARATOR: u8 = 0;

function entryOf(index: IndexPlan, text: usize, length: u32): SynonymEntry {
  let low: u32 = 0;
  let high = index.synonymCount;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const entry = changetype<SynonymEntry>(inIndex(index, index.synonyms) + <usize>middle * offsetof<SynonymEntry>());
    const order = compareBytes(inIndex(index, entry.text), entry.length, text, length);
    if (order === 0) return entry;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return changetype<SynonymEntry>(0);
}

function valueAt(index: IndexPlan, entry: SynonymEntry, place: u32): Phrase {
  return changetype<Phrase>(inIndex(index, entry.values) + <usize>place * offsetof<Phrase>());
}

/** Appends a copy of a value with addresses instead of offsets. */
function pushValue(index: IndexPlan, value: Phrase, out: usize): void {
  const phrase = changetype<Phrase>(alloc(offsetof<Phrase>()));
  const bytes = <usize>value.count * offsetof<Word>();
  phrase.words = alloc(bytes);
  phrase.count = value.count;
  memory.copy(phrase.words, inIndex(index, value.words), bytes);
  for (let i: u32 = 0; i < phrase.count; i++) {
    const word = wordOf(phrase.words, i);
    word.text = inIndex(index, word.text);
  }
  bufferPush32(out, <u32>changetype<usize>(phrase));
}

/** Appends the synonyms of a word, or of joined words, to a Buffer of addresses of Phrase. */
export function pushSynonyms(index: IndexPlan, text: usize, length: u32, out: usize): void {
  const entry = entryOf(index, text, length);
  if (changetype<usize>(entry) === 0) return;
  let total: u32 = 0;
  for (let i: u32 = 0; i < min<u32>(entry.valueCount, MAX_SYNONYMS); i++) {
    const value = valueAt(index, entry, i);
    if (total + value.count > MAX_SYNONYM_WORDS) continue;
    total += value.count;
    pushValue(index, value, out);
  }
}

/** The same for a sequence of words (Word[]), without limits. */
export function pushSequenceSynonyms(index: IndexPlan, words: usize, count: u32, out: usize): void {
  if (index.synonymCount === 0) return;
  let length: u32 = count;
  for (let i: u32 = 0; i < count; i++) length += wordOf(words, i).length;
  const key = alloc(length);
  let to = key;
  for (let i: u32 = 0; i < count; i++) {
    const word = wordOf(words, i);
    if (i > 0) store<u8>(to++, SEPARATOR);
    memory.copy(to, word.text, word.length);
    to += word.length;
  }
  const entry = entryOf(index, key, <u32>(to - key));
  if (changetype<usize>(entry) === 0) return;
  for (let i: u32 = 0; i < entry.valueCount; i++) pushValue(index, valueAt(index, entry, i), out);
}

function wordOf(words: usize, index: u32): Word {
  return changetype<Word>(words + <usize>index * offsetof<Word>());
}
