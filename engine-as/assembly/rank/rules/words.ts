/** The words rule: documents that match more words come first. */
import { nodeAt } from '../../graph/graph';
import {
  Live,
  liveCreate,
  Path,
  pathAt,
  pathCount,
  pathCreate,
  pathsCreate,
  pushNewPath,
  pushPath,
  setState,
  stateAt,
} from '../../graph/interpretations';
import { MAX_TERMS, termAt, wordAt, wordCount } from '../../graph/query';
import { groupOf, REQUIRED } from '../../graph/removal';
import { nodeOf } from '../../graph/state';
import { Search } from '../../plan/search';
import { alloc } from '../../runtime/arena';
import { Assignment, assignmentOf, assignPath, beginBucket, removeDuplicates } from '../assignment';
import { Bucket, bucketOf, rankStep } from '../bucket';
import { EVALUATION_WORDS, Evaluation } from '../evaluation';
import { greatestSum } from '../greatest';
import { wholeBegin } from './positional';

@unmanaged
class WordsEvaluation extends Evaluation {
  /** usize[MAX_TERMS + 1]: for each cost a Buffer of the variants with this cost, 0: none */
  variants: usize;
  /** cost of the next bucket */
  cost: u32;
  max: u32;
  assignment: Assignment;
}

export function wordsBegin(search: Search, rule: u32, bucket: Bucket): Evaluation {
  const words = phraseWords(search);
  const most = 1 + (words > 1 ? words - 1 : 0) + greatestSkip(search);
  if (isNeutral(search, bucket.live)) return wholeBegin(rule, bucket, most);
  const evaluation = changetype<WordsEvaluation>(alloc(offsetof<WordsEvaluation>()));
  evaluation.rule = rule;
  evaluation.kind = EVALUATION_WORDS;
  evaluation.bucket = bucket;
  evaluation.rest = 0;
  evaluation.variants = alloc((<usize>(MAX_TERMS + 1)) << 2);
  memory.fill(evaluation.variants, 0, (<usize>(MAX_TERMS + 1)) << 2);
  evaluation.cost = 0;
  evaluation.max = most;
  evaluation.assignment = assignmentOf(bucket.bitmap, bucket.count);
  const kept = pathCreate();
  const paths = bucket.live.paths;
  for (let i: u32 = 0; i < pathCount(paths); i++) {
    kept.count = 0;
    readVariants(search, evaluation.variants, pathAt(paths, i), 0, 0, 0, kept);
  }
  return evaluation;
}

/** Whether the rule makes no difference: there is one interpretation, of which no node may be dropped. */
function isNeutral(search: Search, live: Live): bool {
  if (pathCount(live.paths) !== 1) return false;
  const path = pathAt(live.paths, 0);
  for (let i: u32 = 0; i < path.count; i++) if (groupOf(search, nodeOf(search, stateAt(path, i)).id) !== REQUIRED) return false;
  return true;
}

/** Lists the variants of an interpretation by cost. When a node is dropped, later nodes of lower groups must be dropped, too. */
function readVariants(search: Search, variants: usize, path: Path, index: u32, floor: u32, cost: u32, kept: Path): void {
  if (index === path.count) {
    const cell = variants + ((<usize>cost) << 2);
    if (load<u32>(cell) === 0) store<u32>(cell, <u32>pathsCreate());
    pushPath(<usize>load<u32>(cell), kept);
    return;
  }
  const state = stateAt(path, index);
  const node = nodeOf(search, state);
  const group = groupOf(search, node.id);
  if (group !== REQUIRED) readVariants(search, variants, path, index + 1, max<u32>(floor, group), cost + node.size, kept);
  if (group < floor) return;
  setState(kept, kept.count, state);
  kept.count++;
  readVariants(search, variants, path, index + 1, floor, cost, kept);
  kept.count--;
}

export function wordsNext(search: Search, pointer: Evaluation): Bucket {
  const evaluation = changetype<WordsEvaluation>(pointer);
  const assignment = evaluation.assignment;
  while (evaluation.cost <= MAX_TERMS) {
    const cost = evaluation.cost++;
    const variants: usize = load<u32>(evaluation.variants + ((<usize>cost) << 2));
    if (variants === 0) continue;
    removeDuplicates(search, assignment);
    if (assignment.count === 0) break;
    beginBucket(search, assignment);
    const live = liveCreate(false);
    let count: u32 = 0;
    for (let i: u32 = 0; i < pathCount(variants); i++) {
      const taken = assignPath(search, assignment, pathAt(variants, i));
      if (taken > 0) pushNewPath(live.paths, pathAt(variants, i));
      count += taken;
    }
    if (count === 0) continue;
    const step = rankStep(evaluation.rule, evaluation.max - cost, evaluation.max);
    return bucketOf(assignment.filled, count, live, evaluation.bucket.context, step);
  }
  return changetype<Bucket>(0);
}

/** Number of words in all phrases of the query, without gaps. */
function phraseWords(search: Search): u32 {
  const terms = search.graph.query.terms;
  let words: u32 = 0;
  for (let i: u32 = 0; i < search.graph.termCount; i++) {
    const term = termAt(terms, i);
    for (let k: u32 = 0; term.phrase && k < wordCount(term.words); k++) if (wordAt(term.words, k).text !== 0) words++;
  }
  return words;
}

/** The greatest number of terms that an interpretation may drop. */
function greatestSkip(search: Search): u32 {
  const graph = search.graph;
  const weights = alloc(((<usize>graph.nodeCount) << 2) + 4);
  for (let id: u32 = 0; id < graph.nodeCount; id++) {
    store<u32>(weights + ((<usize>id) << 2), groupOf(search, id) === REQUIRED ? 0 : nodeAt(graph, id).size);
  }
  return greatestSum(graph, weights);
}
