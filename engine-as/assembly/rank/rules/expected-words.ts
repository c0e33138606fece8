/** The words that an attribute must begin with to equal a query, or to begin with it: those of its exact form. */

import { EXACT_POSITIONS, leastCost } from '../../costs/position-costs';
import { Live, Path, pathAt, pathCount, stateAt } from '../../graph/interpretations';
import { hasExactForm, Node, phraseAt, phraseCount } from '../../graph/node';
import { termAt, wordAt, wordCount } from '../../graph/query';
import { classesOf, nodeOf } from '../../graph/state';
import { RULE_WORD_POSITION } from '../../plan/plan';
import { Search } from '../../plan/search';
import { allocZeroed } from '../../runtime/arena';
import { Buffer, bufferCreate, bufferPush32, bufferRoom } from '../../runtime/buffer';
import { Bucket, ruleAt } from '../bucket';

/** A word that an attribute must begin with. */
@unmanaged
export class Expected {
  text: usize;
  length: u32;
  runs: usize;
  position: u32;
  /** id of the node, and place in its phrase */
  node: u32;
  place: u32;
}

/** The words that an attribute must begin with, and the number of words of an attribute that equals the query. */
@unmanaged
export class Expectation {
  /** Buffer of u32 addresses of Node */
  nodes: usize;
  /** Buffer of Expected */
  words: usize;
  span: u32;
}

export function expectedCount(expectation: Expectation): u32 {
  return <u32>(changetype<Buffer>(expectation.words).length / offsetof<Expected>());
}

export function expectedAt(expectation: Expectation, index: u32): Expected {
  return changetype<Expected>(changetype<Buffer>(expectation.words).data + <usize>index * offsetof<Expected>());
}

export function expectedNodes(expectation: Expectation): u32 {
  return <u32>(changetype<Buffer>(expectation.nodes).length >> 2);
}

export function nodeOfExpectation(expectation: Expectation, index: u32): Node {
  return changetype<Node>(<usize>load<u32>(changetype<Buffer>(expectation.nodes).data + ((<usize>index) << 2)));
}

/** Returns false when no attribute can match, because the first word of the query, or one between others, has no exact form. */
export function readExpectation(search: Search, live: Live, expectation: Expectation): bool {
  const terms = search.graph.termCount;
  /** u32 per term: address of the first Node with an exact form that begins there */
  const firstNodes = allocZeroed(((<usize>terms) << 2) + 4);
  let last: u32 = 0;
  for (let i: u32 = 0; i < pathCount(live.paths); i++) {
    const path = pathAt(live.paths, i);
    for (let k: u32 = 0; k < path.count; k++) {
      const node = nodeOf(search, stateAt(path, k));
      if (!node.isPhrase && !(hasExactForm(node) && (classesOf(stateAt(path, k)) & 1) !== 0)) continue;
      const cell = firstNodes + ((<usize>node.first) << 2);
      if (load<u32>(cell) === 0) store<u32>(cell, <u32>changetype<usize>(node));
      last = max<u32>(last, node.first + 1);
    }
  }
  if (last === 0) return false;
  expectation.nodes = bufferCreate(64);
  expectation.words = bufferCreate(8 * offsetof<Expected>());
  expectation.span = 0;
  for (let term: u32 = 0; term < last; term++) {
    const address: usize = load<u32>(firstNodes + ((<usize>term) << 2));
    if (address === 0) return false;
    bufferPush32(expectation.nodes, <u32>address);
    expect(search, expectation, changetype<Node>(address));
  }
  return true;
}

function expect(search: Search, expectation: Expectation, node: Node): void {
  expectation.span += node.end - node.start + 1;
  const words = termAt(search.graph.query.terms, node.first).words;
  const count: u32 = node.isPhrase ? wordCount(words) : 1;
  for (let place: u32 = 0; place < count; place++) {
    const word = wordAt(words, place);
    if (word.text === 0) continue;
    const expected = changetype<Expected>(bufferRoom(expectation.words, offsetof<Expected>()));
    changetype<Buffer>(expectation.words).length += offsetof<Expected>();
    expected.text = word.text;
    expected.length = word.length;
    expected.runs = node.isPhrase ? typedRuns(node, place) : node.derivations.exact;
    expected.position = node.start + place;
    expected.node = node.id;
    expected.place = place;
  }
}

/** The runs of a word of a typed phrase; 0 when no document matches the phrase. */
function typedRuns(node: Node, place: u32): usize {
  return phraseCount(node) === 0 ? 0 : <usize>load<u32>(phraseAt(node, 0).runs + ((<usize>place) << 2));
}

/**
 * Whether the preceding rule, word position, has found that no document of the bucket has the expected words at their positions.
 * Then no attribute begins with them.
 */
export function isPastStart(search: Search, bucket: Bucket, expectation: Expectation): bool {
  const step = bucket.step;
  if (changetype<usize>(step) === 0 || ruleAt(search, step.rule).kind !== RULE_WORD_POSITION) return false;
  const cost = step.max - step.rank;
  const paths = bucket.live.paths;
  for (let i: u32 = 0; i < pathCount(paths); i++) {
    if (leastPositionCost(search, pathAt(paths, i), expectation) < cost) return true;
  }
  return false;
}

/** In place of a cost: the rule does not decide whether the expected words are at their positions. */
const UNDECIDED: u32 = 0xffffffff;

/** What the rule word position costs where the words that a path represents are at the expected positions. */
function leastPositionCost(search: Search, path: Path, expectation: Expectation): u32 {
  if (path.count !== expectedNodes(expectation)) return UNDECIDED;
  let least: u32 = 0;
  for (let k: u32 = 0; k < path.count; k++) {
    const node = nodeOf(search, stateAt(path, k));
    if (node !== nodeOfExpectation(expectation, k) || node.start >= EXACT_POSITIONS) return UNDECIDED;
    // Of a phrase the rule reads the first word.
    const isRead = node.isPhrase ? typedRuns(node, 0) !== 0 : node.size === 1 && (classesOf(stateAt(path, k)) & 1) !== 0;
    if (!isRead) return UNDECIDED;
    least += leastCost(node.size);
  }
  return least;
}
