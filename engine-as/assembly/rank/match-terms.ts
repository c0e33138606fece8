/** The words and phrases of a query that are highlighted: in all attributes, even when only some are searched. */
import { anyLive, pushTexts } from '../derive/dictionary';
import { runCount } from '../derive/runs';
import { nodeAt } from '../graph/graph';
import { Node, NodePhrase, PHRASE_SPLIT, phraseAt, phraseCount, splitWords } from '../graph/node';
import { termAt, wordAt, wordCount, wordsCreate } from '../graph/query';
import { QuerySequence, QueryTerms, QueryWord } from '../plan/plan';
import { Search } from '../plan/search';
import { alloc } from '../runtime/arena';
import { Buffer, bufferCreate, bufferRoom } from '../runtime/buffer';

export function matchTerms(search: Search): QueryTerms {
  const graph = search.graph;
  const words = bufferCreate(8 * offsetof<QueryWord>());
  const sequences = bufferCreate(8 * offsetof<QuerySequence>());
  for (let id: u32 = 0; id < graph.nodeCount; id++) {
    const node = nodeAt(graph, id);
    if (node.isPhrase) addTyped(search, node, sequences);
    else addWord(search, node, words, sequences);
  }
  const terms = changetype<QueryTerms>(alloc(offsetof<QueryTerms>()));
  const stopWords = graph.query.stopWords;
  terms.words = changetype<Buffer>(words).data;
  terms.wordCount = <u32>(changetype<Buffer>(words).length / offsetof<QueryWord>());
  terms.sequences = changetype<Buffer>(sequences).data;
  terms.sequenceCount = <u32>(changetype<Buffer>(sequences).length / offsetof<QuerySequence>());
  terms.stopWords = changetype<Buffer>(stopWords).data;
  terms.stopWordCount = wordCount(stopWords);
  return terms;
}

function pushSequence(sequences: usize, node: Node, words: usize, count: u32): void {
  const sequence = changetype<QuerySequence>(bufferRoom(sequences, offsetof<QuerySequence>()));
  changetype<Buffer>(sequences).length += offsetof<QuerySequence>();
  sequence.words = words;
  sequence.count = count;
  sequence.start = node.start;
  sequence.end = node.end;
}

/** Adds a typed phrase, without the gaps at its ends. */
function addTyped(search: Search, node: Node, sequences: usize): void {
  const words = termAt(search.graph.query.terms, node.first).words;
  let from: u32 = 0;
  let to = wordCount(words);
  while (from < to && wordAt(words, from).text === 0) from++;
  while (to > from && wordAt(words, to - 1).text === 0) to--;
  if (to > from) pushSequence(sequences, node, changetype<usize>(wordAt(words, from)), to - from);
}

function addWord(search: Search, node: Node, words: usize, sequences: usize): void {
  const derivations = node.derivations;
  const known = runCount(derivations.exact) > 0 || anyLive(search, derivations.prefixes);
  if (!node.isNgram || node.documents !== 0 || (search.plan.restricted !== 0 && known)) {
    const typos = typoTexts(search, node);
    const word = changetype<QueryWord>(bufferRoom(words, offsetof<QueryWord>()));
    changetype<Buffer>(words).length += offsetof<QueryWord>();
    word.text = node.text;
    word.length = node.length;
    word.prefix = node.prefix ? 1 : 0;
    word.known = known ? 1 : 0;
    word.typos = changetype<Buffer>(typos).data;
    word.typoCount = wordCount(typos);
    word.start = node.start;
    word.end = node.end;
  }
  let hasSplit = false;
  for (let i: u32 = 0; i < phraseCount(node); i++) {
    const phrase: NodePhrase = phraseAt(node, i);
    if (phrase.kind === PHRASE_SPLIT) hasSplit = true;
    pushSequence(sequences, node, phrase.words, phrase.count);
  }
  if (derivations.split !== 0 && !hasSplit) pushSequence(sequences, node, splitWords(node), 2);
}

/** Those with one typo come first: a text word that begins with several of them is the nearest one. */
function typoTexts(search: Search, node: Node): usize {
  const texts = wordsCreate();
  pushTexts(search, node.derivations.one, texts);
  pushTexts(search, node.derivations.two, texts);
  return texts;
}
