/**
 * A node of the query graph: a term, a typed phrase, or two or three adjacent words joined (an n-gram), with its derivations in
 * the index and the documents that contain them.
 */
import { Derivations, derive } from '../derive/derivations';
import { findWord } from '../derive/dictionary';
import { matchPhrase, phraseWords } from '../derive/phrases';
import { runCount } from '../derive/runs';
import { addHolders, copyOf, newBitmap, standingHolders } from '../derive/sources';
import { Phrase, Word } from '../plan/plan';
import { isMatchingExpired, Search } from '../plan/search';
import { alloc } from '../runtime/arena';
import { Buffer, bufferCreate, bufferRoom } from '../runtime/buffer';
import { bitmapAnd, bitmapIsEmpty, bitmapOr } from '../sets/bitmap';

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

/** The union of two bitmaps, each of which may be 0 for none; a new bitmap only when necessary. */
export function unionOf(search: Search, left: usize, right: usize): usize {
  if (left === 0 || right === 0 || left === right) return left !== 0 ? left : right;
  const union = copyOf(search, left);
  bitmapOr(union, right, search.bytes);
  return union;
}

/** Computes the derivations of a node whose terms are known, and their documents. `synonyms`: Buffer of addresses of Phrase. */
export function fillNode(search: Search, node: Node, words: usize, wordCount: u32, synonyms: usize): void {
  node.phrases = bufferCreate(offsetof<NodePhrase>());
  node.derivations = node.isPhrase
    ? changetype<Derivations>(0)
    : derive(search, node.text, node.length, node.typed, node.size, node.prefix, node.budget);
  if (node.isPhrase) addPhrase(search, node, PHRASE_TYPED, words, wordCount);
  const values = changetype<Buffer>(synonyms);
  for (let at: usize = 0; at < values.length; at += 4) {
    if (isMatchingExpired(search)) {
      search.degraded = true;
      break;
    }
    const value = changetype<Phrase>(<usize>load<u32>(values.data + at));
    addPhrase(search, node, PHRASE_SYNONYM, value.words, value.count);
  }
  node.always = 0;
  for (let i: u32 = 0; i < phraseCount(node); i++) node.always = unionOf(search, node.always, phraseAt(node, i).documents);
  node.exact = 0;
  node.classZero = 0;
  node.classOne = 0;
  node.classTwo = 0;
  if (!node.isPhrase) fillClasses(search, node);
  node.documents = unionOf(search, unionOf(search, node.always, node.classZero), unionOf(search, node.classOne, node.classTwo));
}

function fillClasses(search: Search, node: Node): void {
  const derivations = node.derivations;
  const tolerant = node.isNgram;
  node.exact = holdersOf(search, derivations.exact, tolerant);
  node.classZero = unionOf(search, node.exact, holdersOf(search, derivations.prefixes, tolerant));
  node.classOne = holdersOf(search, derivations.one, true);
  node.classTwo = holdersOf(search, derivations.two, true);
  if (derivations.cut === 0) return;
  const halves = splitWords(node);
  node.classOne = unionOf(search, node.classOne, addPhrase(search, node, PHRASE_SPLIT, halves, 2));
}

/** The halves of the best split of a node: Word[2]. */
export function splitWords(node: Node): usize {
  const words = alloc(2 * offsetof<Word>());
  const left = changetype<Word>(words);
  const right = changetype<Word>(words + offsetof<Word>());
  left.text = node.text;
  left.length = node.derivations.cut;
  right.text = node.text + left.length;
  right.length = node.length - left.length;
  return words;
}

/** Adds a phrase if some document matches it; returns its documents, 0 for none. */
function addPhrase(search: Search, node: Node, kind: u32, words: usize, count: u32): usize {
  const runs = runsOfWords(search, words, count);
  const documents = matchPhrase(search, runs, count, search.plan.restricted !== 0, search.live);
  if (documents === 0) return 0;
  const phrase = changetype<NodePhrase>(bufferRoom(node.phrases, offsetof<NodePhrase>()));
  phrase.kind = kind;
  phrase.words = words;
  phrase.runs = runs;
  phrase.count = count;
  phrase.documents = documents;
  changetype<Buffer>(node.phrases).length += offsetof<NodePhrase>();
  return documents;
}

/** The runs of each word of a phrase (Word[]). */
export function runsOfWords(search: Search, words: usize, count: u32): usize {
  const runs = phraseWords(count);
  for (let i: u32 = 0; i < count; i++) {
    const word = changetype<Word>(words + <usize>i * offsetof<Word>());
    if (word.text !== 0) store<u32>(runs + ((<usize>i) << 2), <u32>findWord(search, word.text, word.length));
  }
  return runs;
}

/** Live documents that contain one of the words in a searched attribute; 0 when there is none. */
function holdersOf(search: Search, runs: usize, tolerantOnly: bool): usize {
  if (runCount(runs) === 0) return 0;
  const restricted = search.plan.restricted !== 0;
  const standing = standingHolders(search, runs, restricted, tolerantOnly);
  if (standing !== 0) return standing;
  const holders = newBitmap(search);
  addHolders(search, runs, holders, restricted, tolerantOnly);
  if (search.hasDeleted) bitmapAnd(holders, search.live, search.bytes);
  return bitmapIsEmpty(holders, search.bytes) ? 0 : holders;
}
