/** Segments of random texts, and checks of kernels against naive implementations for each of them. */
import t from 'tap';
import { SegmentBuilder } from '../../bindings/engine/builder.js';
import { PLAIN_CONFIG } from '../../bindings/test/builder-config.js';
import { type KernelInstance, loadKernels } from '../../bindings/test/engine.js';
import { type SeededRandom, seededRandom } from '../../bindings/test/random.js';
import { SegmentFile } from './segment-file.js';

export const SEED = Number(process.env.SEED ?? 1622);
/** More positions than fit in the head of a group. */
const FIELDS = Array.from({ length: 40 }, (_, field) => `f${field}`);
const encoder = new TextEncoder();

/** A segment of random texts, opened by the engine, and its postings as a reader of the file sees them. */
export interface Case {
  engine: KernelInstance;
  view: number;
  /** Of a bitmap over the documents. */
  bytes: number;
  docCount: number;
  terms: { docs: Map<number, number[]> }[];
  fields: string[];
}

/** Few words, so that they are near each other; filler moves them far from the start, where positions take two bytes. */
function randomText(random: SeededRandom): string {
  const words: string[] = [];
  for (let left = random.pick([0, 1, 3, 12, 60]); left > 0; left--) {
    words.push(random.pick(['a', 'b', 'ca', 'cb', 'cc', 'x', 'y', 'z']));
    if (random.int(40) === 0) words.push(...Array.from({ length: random.pick([20, 140, 1100]) }, () => 'far'));
  }
  return words.join(' ');
}

function randomDocument(random: SeededRandom, id: number): Record<string, unknown> {
  const document: Record<string, unknown> = { id };
  for (let left = random.pick([1, 2, 4, 40]); left > 0; left--) document[random.pick(FIELDS)] = randomText(random);
  return document;
}

function randomCase(random: SeededRandom): Case {
  return caseOf(Array.from({ length: 1 + random.int(random.pick([5, 150, 400])) }, (_, id) => randomDocument(random, id)));
}

export function caseOf(documents: readonly Record<string, unknown>[]): Case {
  const engine = loadKernels();
  const builder = new SegmentBuilder(engine, { ...PLAIN_CONFIG, searchable: FIELDS });
  const docCount = documents.length;
  for (const [id, document] of documents.entries()) {
    builder.add(id, encoder.encode(String(id)), encoder.encode(JSON.stringify(document)));
  }
  const { pieces } = builder.finishInMemory();
  const file = Buffer.concat(pieces);
  const terms = new SegmentFile(file).terms().map(({ postings }) => ({
    docs: new Map(postings.map(({ doc, codes }) => [doc, codes])),
  }));
  const view = engine.exports.segmentOpen(engine.put(file));
  return { engine, view, bytes: Math.ceil(docCount / 128) * 16, docCount, terms, fields: builder.fields };
}

export type Range = readonly [from: number, to: number];

export function randomRange(random: SeededRandom, { terms }: Case): Range {
  const from = random.int(terms.length);
  return [from, Math.min(terms.length, from + random.pick([1, 1, 1, 2, 4]))];
}

export function source({ engine, view }: Case, [from, to]: Range): number {
  return engine.putWords([view, 0, from, to, 0]);
}

/** Source[]; no term may be in two of them. */
export function sources({ engine, view }: Case, ranges: readonly Range[]): number {
  return engine.putWords(ranges.flatMap(([from, to]) => [view, 0, from, to, 0]));
}

/** Codes `attribute << 16 | position` of the words of a range in a document. */
export function codesOf({ terms }: Case, [from, to]: Range, doc: number): number[] {
  const codes = terms.slice(from, to).map(({ docs }) => docs.get(doc) ?? []);
  return codes.length === 1 ? (codes[0] as number[]) : codes.flat();
}

export function everyCase(
  name: string,
  check: (made: Case, random: SeededRandom) => [found: number[], expected: number[]],
): void {
  t.test(name, async (t) => {
    const random = seededRandom(SEED);
    t.comment(`seed ${SEED}`);
    let filled = 0;
    for (let corpus = 0; corpus < 12; corpus++) {
      const made = randomCase(random);
      for (let i = 0; i < 30; i++) {
        const [found, expected] = made.engine.scoped(() => check(made, random));
        filled += expected.filter((cost) => cost >= 0).length;
        if (found.join() !== expected.join()) t.same(found, expected, `corpus ${corpus}, ${i}`);
      }
    }
    t.ok(filled > 1000, `${filled} documents have a cost`);
  });
}
