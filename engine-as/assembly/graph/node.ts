/**
 * A node of the query graph: a term, a typed phrase, or two or three adjacent words joined (an n-gram), with its derivations in
 * the index and the documents that contain them.
 */
import { Derivations } from '../derive/derivations';
import { runCount } from '../derive/runs';
import { Word } from '../plan/plan';
import { alloc } from '../runtime/arena';
import { Buffer } from '../runtime/buffer';

export const PHRASE_TYPED: u32 = 0;
export const PHRASE_SYNONYM: u32 = 1;
export const PHRASE_SPLIT: u32 = 2;

/** A phrase that matches in place of a node. */
@unmanaged
export class NodePhrase {
  /** PHRASE_… */
  kind: u32;
  /** Word[count] */
  words: usize;
  /** usize[count]: runs of each word, 0 for a gap */
  runs: usize;
  count: u32;
  /** bitmap of the documents that match it */
  documents: usize;
}

/** Number of classes of derivations: 0, 1 or 2 typos. */
export const CLASSES: u32 = 3;

@unmanaged
export class Node {
  id: u32;
  /** terms that it covers */
  first: u32;
  last: u32;
  size: u32;
  /** positions in the query */
  start: u32;
  end: u32;
  isPhrase: bool;
  isNgram: bool;
  /** whether words that start with it match too */
  prefix: bool;
  /** number of typos that it may have */
  budget: u32;
  /** typed words, concatenated for n-grams; 0 for phrases */
  text: usize;
  length: u32;
  /** Word[size] */
  typed: usize;
  /** 0 for phrases */
  derivations: Derivations;
  /** Buffer of NodePhrase */
  phrases: usize;
  /** bitmaps of the documents that satisfy the node with 0, 1 and 2 typos, without phrases and synonyms; 0: none */
  classZero: usize;
  classOne: usize;
  classTwo: usize;
  /** bitmap of the documents of phrases and synonyms, which satisfy every class; 0: none */
  always: usize;
  /** bitmap of the documents that contain the exact form in attributes where it counts; 0: none */
  exact: usize;
  /** bitmap of all documents that satisfy the node; 0: none */
  documents: usize;
}

export function hasDerivations(node: Node): bool {
  return !node.isPhrase;
}

export function phraseCount(node: Node): u32 {
  return <u32>(changetype<Buffer>(node.phrases).length / offsetof<NodePhrase>());
}

export function phraseAt(node: Node, index: u32): NodePhrase {
  return changetype<NodePhrase>(changetype<Buffer>(node.phrases).data + <usize>index * offsetof<NodePhrase>());
}

/** The documents that satisfy a node with a class; 0: none. */
export function classDocuments(node: Node, wanted: u32): usize {
  return wanted === 0 ? node.classZero : wanted === 1 ? node.classOne : node.classTwo;
}

/** The highest class that the node may use. */
export function greatestClass(node: Node): u32 {
  return node.isPhrase ? 0 : max<u32>(1, node.budget);
}

/** Whether it has an exact form for the exactness rules. */
export function hasExactForm(node: Node): bool {
  return node.isPhrase || (!node.isNgram && runCount(node.derivations.exact) > 0);
}

/** The halves of the best split of a node: Word[2]. */
export function splitWords(node: Node): usize {
  const words = alloc(2 * offsetof<Word>());
  const left = changetype<Word>(words);
  const right = changetype<Word>(words + offsetof<Word>());
  left.text = node.text;
  left.length = node.derivations.split;
  right.text = node.text + left.length;
  right.length = node.length - left.length;
  return words;
}
