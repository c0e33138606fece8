import type { Bucket } from './bucket.js';
import type { LiveInterpretations } from './graph.js';
import type { QueryNode } from './node.js';
import { contextOf } from './position-rules.js';
import type { PositionContext } from './positions.js';
import type { RankingRun } from './rank.js';
import type { Rule } from './rules.js';
import { packWordCounts, type Run } from './runs.js';

const LEVELS = 3;

interface ExpectedWord {
  text: string;
  runs: readonly Run[];
  position: number;
}

/** The words that an attribute must begin with, and how many it must count to be nothing else. */
interface Expectation {
  nodes: QueryNode[];
  words: ExpectedWord[];
  span: number;
}

/** The first part of exactness: attributes that consist of the query, that begin with it, and all others. */
export function* exactAttributeRule(run: RankingRun, rule: Rule, bucket: Bucket): Generator<Bucket> {
  const { engine, space } = run;
  const { reader } = space.sources;
  const bytes = reader.bitmapBytes;
  const expectation = expectedWords(run, bucket.live);
  const levels = expectation ? readLevels(run, bucket, expectation) : null;
  const others = reader.newBitmap();
  engine.bitmapCopy(others, bucket.bitmap, bytes);
  for (let level = 0; level < LEVELS; level++) {
    let bitmap = others;
    if (level < LEVELS - 1) {
      const slots = levels?.[level] ?? [];
      if (slots.length === 0) continue;
      bitmap = reader.newBitmap();
      engine.bitmapAddAll(bitmap, reader.instance.put(new Uint8Array(Uint32Array.from(slots).buffer)), slots.length);
      engine.bitmapAndNot(others, bitmap, bytes);
    }
    const count = engine.bitmapCount(bitmap, bytes);
    if (count > 0) yield { ...bucket, bitmap, count, step: { rule, rank: LEVELS - level, max: LEVELS } };
  }
}

/** null when no attribute can match: the first word of the query, or one in the middle, has no exact form. */
function expectedWords(run: RankingRun, live: LiveInterpretations): Expectation | null {
  const noted = new Map<number, QueryNode>();
  for (const path of live.paths) {
    for (const state of path) {
      const { node } = state;
      const exact = node.isPhrase || (node.hasExactForm && (state.mask & 1) !== 0);
      if (exact && !noted.has(node.first)) noted.set(node.first, node);
    }
  }
  const nodes = [...noted.values()].sort((a, b) => a.first - b.first);
  if (nodes.length === 0 || nodes.some((node, index) => node.first !== index)) return null;
  const words: ExpectedWord[] = [];
  let span = 0;
  for (const node of nodes) {
    span += node.end - node.start + 1;
    if (!node.isPhrase) {
      words.push({ text: node.text, runs: node.derivations?.exact ?? [], position: node.start });
      continue;
    }
    for (const [offset, text] of (run.graph.terms[node.first]?.words ?? []).entries()) {
      if (text !== null) words.push({ text, runs: node.phrases[0]?.runs[offset] ?? [], position: node.start + offset });
    }
  }
  return { nodes, words, span };
}

/** Slots of the documents of the first two levels. */
function readLevels(run: RankingRun, bucket: Bucket, expectation: Expectation): number[][] | null {
  const { engine, space } = run;
  const { reader } = space.sources;
  const bytes = reader.bitmapBytes;
  const possible = reader.newBitmap();
  engine.bitmapCopy(possible, bucket.bitmap, bytes);
  for (const node of expectation.nodes) {
    const holders = node.isPhrase ? node.documents : node.exactDocuments;
    if (holders === 0) return null;
    engine.bitmapAnd(possible, holders, bytes);
  }
  const count = engine.bitmapCount(possible, bytes);
  if (count === 0 || expectation.words.some((word) => word.runs.length === 0)) return null;
  const context = contextOf(run, { ...bucket, bitmap: possible, count });
  const words = packWords(context, expectation.words);
  const slots = engine.alloc(count * 4 + 16) >>> 0;
  engine.bitmapFirst(possible, bytes, count, slots);
  const indices = engine.alloc(count * 4 + 16) >>> 0;
  engine.contextIndices(context.pointer, possible, indices);
  const out = engine.alloc(count + 16) >>> 0;
  const counts = space.scratch.cached('word counts', () => packWordCounts(reader));
  const { kinds } = space.attributes;
  const segments = reader.segments.length;
  const wordCount = expectation.words.length;
  engine.exactAttribute(context.pointer, indices, count, words, wordCount, expectation.span, kinds, counts, segments, out);
  const levels: number[][] = [[], []];
  const found = reader.instance.bytes.subarray(out, out + count);
  const slotList = reader.instance.u32(slots, count);
  for (let index = 0; index < count; index++) levels[found[index] as number]?.push(slotList[index] as number);
  return levels;
}

function packWords(context: PositionContext, words: readonly ExpectedWord[]): number {
  const { instance } = context.space.sources.reader;
  const rows = words.flatMap((word) => [context.word(word.text, word.runs), word.position]);
  return instance.put(new Uint8Array(Uint32Array.from(rows.map((value) => value >>> 0)).buffer));
}
