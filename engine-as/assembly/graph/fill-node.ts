/** Finds the derivations and phrases of a node, and the documents that contain them. */
import { Derivations } from '../derive/derivations';
import { derive } from '../derive/derive';
import { findWord } from '../derive/dictionary';
import { matchPhrase, phraseWords } from '../derive/phrases';
import { runCount } from '../derive/runs';
import { addDocumentsOf, copyOf, newBitmap, storedDocuments, unionOf } from '../derive/sources';
import { splitDocuments } from '../derive/split';
import { Phrase, Word } from '../plan/plan';
import { isMatchingExpired, Search } from '../plan/search';
import { Buffer, bufferCreate, bufferRoom } from '../runtime/buffer';
import { bitmapAnd, bitmapIsEmpty } from '../sets/bitmap';
import { Node, NodePhrase, PHRASE_SPLIT, PHRASE_SYNONYM, PHRASE_TYPED, phraseAt, phraseCount, splitWords } from './node';

/** Computes the derivations of a node whose terms are known, and their documents. `synonyms`: Buffer of addresses of Phrase. */
export function fillNode(search: Search, node: Node, words: usize, wordCount: u32, synonyms: usize): void {
  node.phrases = bufferCreate(offsetof<NodePhrase>());
  node.derivations = node.isPhrase
    ? changetype<Derivations>(0)
    : derive(search, node.text, node.length, node.typed, node.size, node.prefix, node.budget);
  if (node.isPhrase) addPhrase(search, node, PHRASE_TYPED, words, wordCount, 0);
  const values = changetype<Buffer>(synonyms);
  for (let at: usize = 0; at < values.length; at += 4) {
    if (isMatchingExpired(search)) {
      search.degraded = true;
      break;
    }
    const value = changetype<Phrase>(<usize>load<u32>(values.data + at));
    addPhrase(search, node, PHRASE_SYNONYM, value.words, value.count, 0);
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
  node.exact = documentsOfRuns(search, derivations.exact, tolerant, 0);
  node.classZero = documentsOfRuns(search, derivations.prefixes, tolerant, node.exact);
  node.classOne = documentsOfRuns(search, derivations.one, true, 0);
  node.classTwo = documentsOfRuns(search, derivations.two, true, 0);
  if (derivations.split === 0) return;
  const halves = splitWords(node);
  let documents: usize = 0;
  if (search.plan.restricted === 0) {
    documents = derivations.splitDocuments;
    if (documents === 0) documents = splitDocuments(search, node.text, node.length, derivations.split);
  }
  node.classOne = unionOf(search, node.classOne, addPhrase(search, node, PHRASE_SPLIT, halves, 2, documents));
}

/** Adds a phrase if some document matches it; returns its documents, 0 for none. `known`: its documents if they are known, else 0. */
function addPhrase(search: Search, node: Node, kind: u32, words: usize, count: u32, known: usize): usize {
  const runs = runsOfWords(search, words, count);
  const documents = known !== 0 ? known : matchPhrase(search, runs, count, search.plan.restricted !== 0, search.live);
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

/** Live documents that contain one of the words in a searched attribute, and those of a bitmap (0: none); 0 when there is none. */
function documentsOfRuns(search: Search, runs: usize, tolerantOnly: bool, others: usize): usize {
  if (runCount(runs) === 0) return others;
  const restricted = search.plan.restricted !== 0;
  const stored = storedDocuments(search, runs, restricted, tolerantOnly);
  if (stored !== 0) return unionOf(search, others, stored);
  const documents = others === 0 ? newBitmap(search) : copyOf(search, others);
  addDocumentsOf(search, runs, documents, restricted, tolerantOnly);
  if (search.hasDeleted) bitmapAnd(documents, search.live, search.bytes);
  return others === 0 && bitmapIsEmpty(documents, search.bytes) ? 0 : documents;
}
