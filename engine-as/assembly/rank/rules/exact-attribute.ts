/** The first part of the exactness rule: attributes that equal the query, then attributes that begin with it, then all others. */

import { cacheAdd, cacheAdmits, cacheAlloc, cacheFind, cacheSpend } from '../../cache/cache';
import { CACHED_BEGINNING } from '../../cache/result-kinds';
import { Context } from '../../costs/context';
import { ExpectedWord, exactAttribute } from '../../costs/exactness';
import { exactDocuments, firstWord } from '../../costs/first-word';
import { sourceAt } from '../../costs/sources';
import { runAt, runCount } from '../../derive/runs';
import { isLarge, longRunOf, newBitmap, sourcesAt, sourcesOf, unwritten } from '../../derive/sources';
import { ANY_CLASS, stateOf } from '../../graph/state';
import { Search, segmentBytes, segmentOf } from '../../plan/search';
import { alloc, allocZeroed } from '../../runtime/arena';
import { bufferPush32, bufferPushBytes } from '../../runtime/buffer';
import { keyCreate } from '../../runtime/key-table';
import { SegmentView } from '../../segment/view';
import { bitmapAnd, bitmapCount, bitmapDifference, bitmapIntersect } from '../../sets/bitmap';
import { Bucket, bucketOf, rankStep } from '../bucket';
import { EVALUATION_EXACT_ATTRIBUTE, Evaluation } from '../evaluation';
import { newContext, occurrencesOfWord } from '../positions';
import { addInPlace } from '../run-sets';
import { wordCountsOf } from '../word-counts';
import {
  Expectation,
  expectedAt,
  expectedCount,
  expectedNodes,
  isPastStart,
  nodeOfExpectation,
  readExpectation,
} from './expected-words';

/**
 * The exact words are mostly read by this rule only, so a larger bucket is read in place of the documents only if it is smaller than this
 * multiple of them: then other buckets that are parts of it need not be read again.
 */
const SMALLER: u32 = 2;
const LEVELS: u32 = 3;
/** Levels with a bitmap of their own. The last level has the remaining documents. */
const FOUND_LEVELS: u32 = LEVELS - 1;
@unmanaged
class ExactAttributeEvaluation extends Evaluation {
  /** bitmaps of the first levels, one after the other; 0: no document is in them */
  levels: usize;
  /** bitmap of the remaining documents */
  others: usize;
  /** next level */
  level: u32;
}

export function exactAttributeBegin(search: Search, rule: u32, bucket: Bucket): Evaluation {
  const evaluation = changetype<ExactAttributeEvaluation>(alloc(offsetof<ExactAttributeEvaluation>()));
  evaluation.rule = rule;
  evaluation.kind = EVALUATION_EXACT_ATTRIBUTE;
  evaluation.bucket = bucket;
  evaluation.rest = 0;
  evaluation.level = 0;
  const expectation = changetype<Expectation>(alloc(offsetof<Expectation>()));
  const isPossible = readExpectation(search, bucket.live, expectation) && !isPastStart(search, bucket, expectation);
  evaluation.levels = isPossible ? levelsOf(search, bucket, expectation) : 0;
  evaluation.others = bucket.bitmap;
  if (evaluation.levels === 0) return evaluation;
  evaluation.others = unwritten(search);
  for (let level: u32 = 0; level < FOUND_LEVELS; level++) {
    const before = level === 0 ? bucket.bitmap : evaluation.others;
    bitmapDifference(evaluation.others, before, evaluation.levels + <usize>(level * search.bytes), search.bytes);
  }
  return evaluation;
}

export function exactAttributeNext(search: Search, pointer: Evaluation): Bucket {
  const evaluation = changetype<ExactAttributeEvaluation>(pointer);
  const bucket = evaluation.bucket;
  while (evaluation.level < LEVELS) {
    const level = evaluation.level++;
    const isRest = level === FOUND_LEVELS;
    if (!isRest && evaluation.levels === 0) continue;
    const bitmap = isRest ? evaluation.others : evaluation.levels + <usize>(level * search.bytes);
    const count = bitmap === bucket.bitmap ? bucket.count : bitmapCount(bitmap, search.bytes);
    if (count === 0) continue;
    const step = rankStep(evaluation.rule, LEVELS - level, LEVELS);
    return bucketOf(bitmap, count, bucket.live, bucket.context, step);
  }
  return changetype<Bucket>(0);
}

/** Bitmaps of the documents of the first levels, one after the other; 0: none. */
function levelsOf(search: Search, bucket: Bucket, expectation: Expectation): usize {
  for (let i: u32 = 0; i < expectedCount(expectation); i++) {
    const runs = expectedAt(expectation, i).runs;
    if (runs === 0 || runCount(runs) === 0) return 0;
  }
  const possible = containingAll(search, bucket.bitmap, expectation);
  const count = bitmapCount(possible, search.bytes);
  if (count === 0) return 0;
  const levels = allocZeroed(<usize>(search.bytes * FOUND_LEVELS));
  const cached = isLarge(search, count) ? cachedLevels(search, expectation, count) : 0;
  if (cached === 0) {
    writeLevels(search, possible, count, bucket.context, expectation, levels);
    return levels;
  }
  for (let level: u32 = 0; level < FOUND_LEVELS; level++) {
    const at = <usize>(level * search.bytes);
    bitmapIntersect(levels + at, cached + at, possible, search.bytes);
  }
  return levels;
}

/** The documents of a bitmap (0: all live documents) that contain all nodes, of which there is at least one; not to be written to. */
function containingAll(search: Search, documents: usize, expectation: Expectation): usize {
  let containing = documents;
  for (let i: u32 = 0; i < expectedNodes(expectation); i++) {
    const node = nodeOfExpectation(expectation, i);
    const own = node.isPhrase ? node.documents : node.exact;
    if (own === 0) return newBitmap(search);
    if (containing === 0) {
      containing = own;
      continue;
    }
    const both = unwritten(search);
    bitmapIntersect(both, containing, own, search.bytes);
    containing = both;
  }
  return containing;
}

/**
 * The levels of all documents that contain the nodes, cached once that is worthwhile. 0 before that, and when the search is
 * restricted to some attributes. `count`: number of documents whose words this search reads without them.
 */
function cachedLevels(search: Search, expectation: Expectation, count: u32): usize {
  if (search.plan.restricted || !search.inOneMemory) return 0;
  const key = keyOf(search, expectation);
  const known = cacheFind(key);
  if (known !== 0) return known;
  const all = containingAll(search, 0, expectation);
  const total = bitmapCount(all, search.bytes);
  if (cacheSpend(key, count) < <f64>total) return 0;
  const bytes = <usize>(search.bytes * FOUND_LEVELS);
  if (!cacheAdmits(key, bytes)) return 0;
  const levels = cacheAlloc(bytes);
  if (levels !== 0) {
    memory.fill(levels, 0, bytes);
    writeLevels(search, all, total, changetype<Context>(0), expectation, levels);
  }
  return cacheAdd(key, levels);
}

function keyOf(search: Search, expectation: Expectation): usize {
  const key = keyCreate(CACHED_BEGINNING);
  bufferPush32(key, search.index.scheme);
  bufferPush32(key, search.index.byAttribute);
  bufferPush32(key, expectation.span);
  for (let number: u32 = 0; number < search.plan.segments.count; number++) bufferPush32(key, segmentOf(search, number).id);
  for (let i: u32 = 0; i < expectedCount(expectation); i++) {
    const word = expectedAt(expectation, i);
    bufferPush32(key, word.position);
    bufferPush32(key, word.length);
    bufferPushBytes(key, word.text, word.length);
  }
  return key;
}

/**
 * Reads the words of documents and adds the documents to the bitmaps of their levels. `documentCount`: the number of documents;
 * `known`: a context that may have the words of all of them, or 0.
 */
function writeLevels(
  search: Search,
  documents: usize,
  documentCount: u32,
  known: Context,
  expectation: Expectation,
  levels: usize,
): void {
  const fieldFlags = search.plan.fieldFlags;
  if (isFirstWord(search, documentCount, expectation)) {
    writeFirstWord(search, documents, expectation, levels);
    return;
  }
  const isShared = changetype<usize>(known) !== 0 && documentCount * SMALLER >= known.count;
  const context = isShared ? known : newContext(search, documents, documentCount);
  const count = expectedCount(expectation);
  const words = alloc(<usize>count * offsetof<ExpectedWord>());
  for (let i: u32 = 0; i < count; i++) {
    const expected = expectedAt(expectation, i);
    const word = changetype<ExpectedWord>(words + <usize>i * offsetof<ExpectedWord>());
    word.occurrences = occurrencesOfWord(search, context, expected.runs, expected.node, expected.place);
    word.position = expected.position;
  }
  const segments = wordCountsOf(search);
  const segmentCount = search.plan.segments.count;
  exactAttribute(
    changetype<usize>(context),
    documents,
    words,
    count,
    expectation.span,
    fieldFlags,
    segments,
    segmentCount,
    levels,
  );
}

/** The same of one word at the beginning. */
function writeFirstWord(search: Search, documents: usize, expectation: Expectation, levels: usize): void {
  const runs = expectedAt(expectation, 0).runs;
  const sources = sourcesOf(search, runs);
  const span = expectation.span;
  const beginning = newBitmap(search);
  const state = stateOf(nodeOfExpectation(expectation, 0), ANY_CLASS, false);
  for (let i: u32 = 0; i < runCount(runs); i++) {
    const run = runAt(runs, i);
    const long = longRunOf(search, run);
    if (search.plan.restricted || changetype<usize>(long) === 0 || !addInPlace(search, state, run, beginning)) {
      firstWord(sourceAt(sourcesAt(sources), i), documents, search.bytes, span, search.plan.fieldFlags, levels);
      continue;
    }
    const segment = segmentOf(search, run.segment);
    const place: usize = segment.base >>> 3;
    const bytes = segmentBytes(search, run.segment);
    const own = beginning + place;
    bitmapAnd(own, documents + place, bytes);
    exactDocuments(changetype<SegmentView>(segment.view), long, own, span, levels + place);
    bitmapDifference(levels + search.bytes + place, own, levels + place, bytes);
  }
}

/**
 * Whether one word is expected, at the beginning, and so many documents are read that the postings of the word are read instead of the words
 * of the documents.
 */
function isFirstWord(search: Search, documents: u32, expectation: Expectation): bool {
  if (expectedCount(expectation) !== 1 || expectedAt(expectation, 0).position !== 0) return false;
  return search.inOneMemory && isLarge(search, documents);
}
