/** The words that an attribute must begin with to equal a query, or to begin with it: those of its exact form. */

import { Live, pathAt, pathCount, stateAt } from '../../graph/interpretations';
import { hasExactForm, Node, phraseAt, phraseCount } from '../../graph/node';
import { termAt, wordAt, wordCount } from '../../graph/query';
import { classesOf, nodeOf } from '../../graph/state';
import { RULE_WORD_POSITION } from '../../plan/plan';
import { Search } from '../../plan/search';
import { allocZeroed } from '../../runtime/arena';
import { Buffer, bufferCreate, bufferPush32, bufferRoom } from '../../runtime/buffer';
import { Bucket, ruleAt } from '../bucket';

/** Positions below this are stored exactly. */
const EXACT_POSITIONS: u32 = 16;

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
  if (changetype<usize>(step) === 0 || ruleAt(search, step.rule).kind !== RULE_WORD_POSITION || step.rank === step.max)
    return false;
  const paths = bucket.live.paths;
  for (let i: u32 = 0; i < pathCount(paths); i++) {
    const path = pathAt(paths, i);
    let isSame = path.count === expectedNodes(expectation);
    for (let k: u32 = 0; k < path.count && isSame; k++) {
      const node = nodeOf(search, stateAt(path, k));
      const isPlain = node.size === 1 && !node.isPhrase && node.start < EXACT_POSITIONS;
      isSame = node === nodeOfExpectation(expectation, k) && isPlain && (classesOf(stateAt(path, k)) & 1) !== 0;
    }
    if (isSame) return true;
  }
  return false;
}
