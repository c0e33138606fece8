import { ExpectedWord as ExpectedWordRecord } from '../engine/exports.js';
import { type Bucket, partOf } from './bucket.js';
import type { LiveInterpretations } from './graph.js';
import { keptResults } from './kept-results.js';
import type { QueryNode } from './node.js';
import { isLarge } from './partitions.js';
import { contextOf } from './position-rules.js';
import { PositionContext } from './positions.js';
import type { RankingRun } from './rank.js';
import type { Rule } from './rules.js';
import { packWordCounts, type Run } from './runs.js';

const LEVELS = 3;
/** Positions below this are known exactly. */
const EXACT_POSITIONS = 16;

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
  const levels = expectation && !isPastStart(bucket, expectation) ? readLevels(run, bucket, expectation) : 0;
  let others = bucket.bitmap;
  if (levels !== 0) {
    others = reader.newBitmap();
    engine.bitmapCopy(others, bucket.bitmap, bytes);
    for (let level = 0; level < LEVELS - 1; level++) engine.bitmapAndNot(others, levels + level * bytes, bytes);
  }
  for (let level = 0; level < LEVELS; level++) {
    const isRest = level === LEVELS - 1;
    if (!isRest && levels === 0) continue;
    const bitmap = isRest ? others : levels + level * bytes;
    const count = bitmap === bucket.bitmap ? bucket.count : engine.bitmapCount(bitmap, bytes);
    if (count > 0) yield partOf(bucket, bitmap, count, { rule, rank: LEVELS - level, max: LEVELS });
  }
}

/**
 * Did the rule before, word position, find that no document has the expected words where the query has them? Then no attribute
 * begins with them.
 */
function isPastStart({ step, live }: Bucket, { nodes }: Expectation): boolean {
  if (step?.rule.kind !== 'wordPosition' || step.rank === step.max) return false;
  return live.paths.some(
    (path) =>
      path.length === nodes.length &&
      path.every(({ node, mask }, index) => {
        const plain = node.size === 1 && !node.isPhrase && node.start < EXACT_POSITIONS;
        return node === nodes[index] && plain && (mask & 1) !== 0;
      }),
  );
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

/** Bitmaps of the documents of the first two levels, one after the other; 0: none. */
function readLevels(run: RankingRun, bucket: Bucket, expectation: Expectation): number {
  const { engine, space } = run;
  const bytes = space.sources.reader.bitmapBytes;
  if (expectation.words.some((word) => word.runs.length === 0)) return 0;
  const possible = holdersIn(run, bucket.bitmap, expectation);
  const count = engine.bitmapCount(possible, bytes);
  if (count === 0) return 0;
  const levels = engine.allocZeroed(bytes * (LEVELS - 1));
  const kept = isLarge(count, space.sources) ? keptLevels(run, expectation, count) : 0;
  if (kept === 0) {
    const context = contextOf(run, partOf(bucket, possible, count, null));
    writeLevels(run, context, possible, expectation, levels);
    return levels;
  }
  for (let level = 0; level < LEVELS - 1; level++) {
    engine.bitmapCopy(levels + level * bytes, kept + level * bytes, bytes);
    engine.bitmapAnd(levels + level * bytes, possible, bytes);
  }
  return levels;
}

/** The documents of a bitmap that hold all nodes: a new bitmap. */
function holdersIn({ engine, space }: RankingRun, documents: number, { nodes }: Expectation): number {
  const { reader } = space.sources;
  const holders = reader.newBitmap();
  if (nodes.some((node) => holdersOf(node) === 0)) return holders;
  engine.bitmapCopy(holders, documents, reader.bitmapBytes);
  for (const node of nodes) engine.bitmapAnd(holders, holdersOf(node), reader.bitmapBytes);
  return holders;
}

function holdersOf(node: QueryNode): number {
  return node.isPhrase ? node.documents : node.exactDocuments;
}

/**
 * The levels of all documents that hold the nodes, once they are worth their price; 0 before, and where only some attributes are
 * searched. `count`: documents of this query whose words would be read without them.
 */
function keptLevels(run: RankingRun, expectation: Expectation, count: number): number {
  const { engine, space } = run;
  const { sources, attributes } = space;
  const { reader } = sources;
  if (attributes.restricted || !sources.inOneMemory) return 0;
  let key = `beginning ${attributes.scheme} ${expectation.span} ${sources.segmentsKey}`;
  for (const { text, position } of expectation.words) key += ` ${position}:${text}`;
  const all = () => space.scratch.cached(key, () => holdersIn(run, space.live, expectation));
  const total = () => engine.bitmapCount(all(), reader.bitmapBytes);
  const kept = keptResults(reader.instance);
  if (!kept.isEarned(key, total, count)) return 0;
  return kept.result(key, reader.bitmapBytes * (LEVELS - 1), (levels) => {
    writeLevels(run, new PositionContext(space, all(), total()), all(), expectation, levels);
  });
}

/** Reads the words of documents and adds these to the bitmaps of their levels. */
function writeLevels(
  { engine, space }: RankingRun,
  context: PositionContext,
  documents: number,
  { words, span }: Expectation,
  levels: number,
): void {
  const { reader } = space.sources;
  const counts = space.scratch.cached('word counts', () => packWordCounts(reader));
  const { kinds } = space.attributes;
  const packed = packWords(context, words);
  engine.exactAttribute(context.pointer, documents, packed, words.length, span, kinds, counts, reader.segments.length, levels);
}

function packWords(context: PositionContext, words: readonly ExpectedWord[]): number {
  const { instance } = context.space.sources.reader;
  const expected = words.map(({ text, runs, position }) => ({ occurrences: context.word(text, runs), position }));
  return instance.putStructures(ExpectedWordRecord, expected);
}
