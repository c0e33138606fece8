import * as engine from '../engine/exports.js';
import { byteLength } from '../engine/utf8.js';
import type { MatchSequence, MatchTerms, MatchWord } from './match-terms.js';
import { RecordWriter } from './record-writer.js';

interface Candidate {
  text: string;
  word: MatchWord;
  /** The word itself, not one of its typos. */
  typed: boolean;
}

/** What a query looks for in texts, as the engine reads it. */
export function encodeTerms(terms: MatchTerms): Uint8Array {
  const { sequences } = terms;
  const candidates = candidatesOf(terms);
  const lists = sequences.map(wordsOf);
  const words = lists.flat();
  let wordsAt =
    engine.MatchTerms.bytes + candidates.length * engine.WordRecord.bytes + sequences.length * engine.SequenceRecord.bytes;
  const records = new RecordWriter(wordsAt + words.length * engine.SequenceWord.bytes);
  const lastPositions = [...terms.words, ...sequences].map(({ positions }) => positions.at(-1) ?? -1);
  records.put(engine.MatchTerms, {
    wordCount: candidates.length,
    sequenceCount: sequences.length,
    positionCount: 1 + Math.max(-1, ...lastPositions),
    asks: Number(terms.indexed !== null),
  });
  for (const { text, word, typed } of candidates) {
    const { at, length } = records.text(text);
    records.put(engine.WordRecord, {
      text: at,
      length,
      matchedBytes: word.prefix ? matchedBytes(text, word.text) : 0,
      unknown: Number(typed && !word.known),
      ...rangeOf(word.positions),
    });
  }
  for (const [place, { positions }] of sequences.entries()) {
    const { length: wordCount } = lists[place] as SequenceWord[];
    records.put(engine.SequenceRecord, { words: wordsAt, wordCount, ...rangeOf(positions) });
    wordsAt += wordCount * engine.SequenceWord.bytes;
  }
  for (const { text, gap } of words) {
    const { at, length } = records.text(text);
    records.put(engine.SequenceWord, { text: at, length, gap });
  }
  return records.finish();
}

/** Whole words come before words that only start like the query, and of these, joined words before the last one alone. */
function candidatesOf({ words, stopWords }: MatchTerms): Candidate[] {
  const typed = new Set(words.map(({ text }) => text));
  const stops = stopWords
    .filter((text) => !typed.has(text))
    .map((text) => ({ text, prefix: false, known: true, typos: [], positions: [] }));
  const prefixes = words.filter(({ prefix }) => prefix).sort((a, b) => b.positions.length - a.positions.length);
  return [...words.filter(({ prefix }) => !prefix), ...stops, ...prefixes].flatMap((word) =>
    [word.text, ...word.typos].flatMap((text, place) => (text === '' ? [] : [{ text, word, typed: place === 0 }])),
  );
}

/** Bytes of as many letters of a text as were typed. */
function matchedBytes(text: string, typed: string): number {
  if (byteLength(text) === text.length && byteLength(typed) === typed.length) return Math.min(text.length, typed.length);
  return byteLength([...text].slice(0, [...typed].length).join(''));
}

function rangeOf(positions: readonly number[]): { firstPosition: number; lastPosition: number } {
  return { firstPosition: positions[0] ?? engine.NO_POSITION, lastPosition: positions.at(-1) ?? engine.NO_POSITION };
}

interface SequenceWord {
  text: string;
  /** So many other words may stand before it. */
  gap: number;
}

function wordsOf({ words }: MatchSequence): SequenceWord[] {
  const list: SequenceWord[] = [];
  let gap = 0;
  for (const text of words) {
    if (text === null) {
      gap++;
    } else {
      list.push({ text, gap });
      gap = 0;
    }
  }
  return list;
}
