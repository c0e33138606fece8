import type { Test } from 'tap';
import { type BuiltSegment, SegmentBuilder } from '../../bindings/engine/builder.js';
import type { BuilderConfig } from '../../bindings/engine/builder-config.js';
import type { SegmentView } from '../../bindings/engine/exports.js';
import type { EngineInstance } from '../../bindings/engine/instance.js';
import { loadKernels } from '../../bindings/test/engine.js';
import type { SeededRandom } from '../../bindings/test/random.js';
import { Literal, type NaiveIndexer, type Value, type ValueObject } from './naive-indexer.js';
import { SegmentFile } from './segment-file.js';

/** Seed of random documents; printed when a test fails. */
export const SEED = Number(process.env.SEED ?? 45);
export const engine = loadKernels();
const encoder = new TextEncoder();

export interface Built {
  file: SegmentFile;
  fields: string[];
  built: BuiltSegment;
}

/** Builds a segment, and parses its file by a reader that shares no code with the engine. */
export function build(config: BuilderConfig, documents: { id: number; key: string; json: string }[]): Built {
  const builder = new SegmentBuilder(engine, config);
  for (const { id, key, json } of documents) builder.add(id, encoder.encode(key), encoder.encode(json));
  const { pieces, ...built } = builder.finishInMemory();
  return { file: new SegmentFile(Buffer.concat(pieces)), fields: builder.fields, built };
}

const WORDS = [
  'big',
  'cat',
  'Red',
  'fox',
  'a',
  '32.3',
  'x,',
  'end.',
  'Ünder',
  '7',
  '-',
  '½',
  'the',
  'snake_case',
  'é',
  'oh!',
  '日',
  'z'.repeat(260),
  'Ã\u00a0',
];
const LITERALS = ['1', '10', '10.0', '1.50', '1e3', '-7', '0.000001', '18446744073709551616', '12345678901234567890'];
const NAMES = ['a', 'b', 'c', 'title', 'tags', 'a.b', 'o'];

/** Up to `most` words, with separators between them. */
export const sentence = (random: SeededRandom, most: number) =>
  Array.from({ length: random.int(most) }, () => random.pick(WORDS)).join(random.pick([' ', ' ', ', ', '. ', '\n']));

function randomValue(random: SeededRandom, depth: number): Value {
  const kind = random.int(depth > 0 ? 12 : 7);
  if (kind < 4) return sentence(random, 8);
  if (kind < 5) return new Literal(random.pick(LITERALS));
  if (kind < 7) return random.pick([true, false, null, '']);
  if (kind < 10) return Array.from({ length: random.int(4) }, () => randomValue(random, depth - 1));
  return randomObject(random, depth - 1);
}

function randomObject(random: SeededRandom, depth: number): ValueObject {
  const object: ValueObject = {};
  for (let i = random.int(5); i > 0; i--) object[random.pick(NAMES)] = randomValue(random, depth);
  return object;
}

/** A random document with nested values, reserved members and long texts among them. */
export function randomDocument(random: SeededRandom, id: number): ValueObject {
  const document: ValueObject = { id: new Literal(String(id)), ...randomObject(random, 3) };
  if (random.int(20) === 0) document.long = sentence(random, 2000);
  if (random.int(10) === 0) document._vectors = { m: { embeddings: [new Literal('1')], regenerate: false } };
  if (random.int(10) === 0) document._geo = { lat: new Literal('1.5'), lng: '2.5' };
  return document;
}

/** Copies the resident part of a file into an instance. */
export function open(instance: EngineInstance, file: SegmentFile): { base: number; view: SegmentView } {
  const base = instance.put(file.bytes.subarray(0, file.residentLength));
  return { base, view: instance.exports.segmentOpen(base) };
}

/** Compares terms, postings, sides, bitmaps and shared prefixes of a file with those of a naive index. */
export function compareTerms(t: Test, label: string, file: SegmentFile, naive: NaiveIndexer): void {
  const terms = file.terms();
  const expected = [...naive.terms].sort((a, b) => Buffer.compare(Buffer.from(a[0]), Buffer.from(b[0])));
  t.same(
    terms.map((term) => term.text),
    expected.map(([text]) => text),
    `${label}: terms`,
  );
  for (const [i, term] of terms.entries()) {
    const [text, { sides, docs }] = expected[i] as (typeof expected)[number];
    const postings = [...docs].map(([doc, codes]) => ({ doc, codes: [...codes].sort((a, b) => a - b) }));
    if (JSON.stringify(term.postings) !== JSON.stringify(postings)) t.same(term.postings, postings, `${label}: ${text}`);
    if ((term.flags & 3) !== sides) t.equal(term.flags & 3, sides, `${label}: sides of ${text}`);
    if (term.bitmap) t.same(term.bitmap, [...docs.keys()], `${label}: bitmap of ${text}`);
    const previous = Buffer.from(terms[i - 1]?.text ?? '');
    const bytes = Buffer.from(text);
    let lcp = 0;
    while (i > 0 && lcp < 255 && lcp < previous.length && previous[lcp] === bytes[lcp]) lcp++;
    if (term.lcp !== lcp) t.equal(term.lcp, lcp, `${label}: bytes shared before ${text}`);
    const branch = [bytes[lcp], bytes[lcp + 1] ?? 0];
    if (term.branch.join() !== branch.join()) t.same(term.branch, branch, `${label}: the bytes after those of ${text}`);
  }
}

/** The postings by document. */
export function termsByDocument(file: SegmentFile): { term: number; codes: number[] }[][] {
  const documents = Array.from({ length: file.docCount }, (): { term: number; codes: number[] }[] => []);
  for (const [term, { postings }] of file.terms().entries()) {
    for (const { doc, codes } of postings) documents[doc]?.push({ term, codes });
  }
  return documents;
}
