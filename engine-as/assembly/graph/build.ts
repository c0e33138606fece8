/** Builds the query graph. */
import { MAX_WORD_BYTES } from '../derive/dictionary';
import { pushSequenceSynonyms, pushSynonyms } from '../derive/synonyms';
import { typoBudget } from '../derive/typo-budget';
import { Word } from '../plan/plan';
import { Search } from '../plan/search';
import { alloc } from '../runtime/arena';
import { Buffer, bufferCreate } from '../runtime/buffer';
import { fillNode } from './fill-node';
import { Graph, nodeAt } from './graph';
import { Node } from './node';
import { MAX_TERMS, Query, Term, termAt, termCount, wordAt, wordCount } from './query';

/** The greatest number of terms that are joined into one word. */
const MAX_JOINED: u32 = 3;

/** Builds the graph of a query: `search.graph`. */
export function buildGraph(search: Search, query: Query): void {
  const graph = changetype<Graph>(alloc(offsetof<Graph>()));
  graph.query = query;
  graph.termCount = termCount(query.terms);
  graph.nodes = alloc(<usize>(MAX_TERMS * MAX_JOINED) * offsetof<Node>());
  graph.nodeCount = 0;
  search.graph = graph;
  for (let last: u32 = 0; last < graph.termCount; last++) {
    for (let size: u32 = 1; size <= MAX_JOINED && size <= last + 1; size++) {
      const first = last - size + 1;
      if (size === 1 || areJoined(graph, first, last)) addNode(search, graph, first, last);
    }
  }
}

/** Whether these terms may be joined into one word. */
function areJoined(graph: Graph, first: u32, last: u32): bool {
  let bytes: u32 = 0;
  for (let index = first; index <= last; index++) {
    const term = termAt(graph.query.terms, index);
    if (term.phrase) return false;
    if (index > first && term.start !== termAt(graph.query.terms, index - 1).end + 1) return false;
    bytes += wordAt(term.words, 0).length;
  }
  return bytes <= MAX_WORD_BYTES;
}

function addNode(search: Search, graph: Graph, first: u32, last: u32): void {
  const begin: Term = termAt(graph.query.terms, first);
  const finish: Term = termAt(graph.query.terms, last);
  const node = nodeAt(graph, graph.nodeCount);
  node.id = graph.nodeCount++;
  node.first = first;
  node.last = last;
  node.size = last - first + 1;
  node.start = begin.start;
  node.end = finish.end;
  node.isPhrase = begin.phrase;
  node.isNgram = last > first;
  node.prefix = finish.prefix;
  const synonyms = bufferCreate(16);
  if (node.isPhrase) {
    node.budget = 0;
    node.text = 0;
    node.length = 0;
    node.typed = 0;
  } else {
    joinWords(graph, node);
    node.budget = typoBudget(search.index, node.text, node.length, node.size);
    if (node.length <= MAX_WORD_BYTES) {
      pushSynonyms(search.index, node.text, node.length, synonyms);
      if (node.isNgram) pushSequenceSynonyms(search.index, node.typed, node.size, synonyms);
    }
  }
  fillNode(search, node, changetype<Buffer>(begin.words).data, wordCount(begin.words), synonyms);
}

/** Concatenates the typed words of a node. */
function joinWords(graph: Graph, node: Node): void {
  node.typed = alloc(<usize>node.size * offsetof<Word>());
  node.length = 0;
  for (let i: u32 = 0; i < node.size; i++) node.length += wordAt(termAt(graph.query.terms, node.first + i).words, 0).length;
  node.text = alloc(node.length);
  let at = node.text;
  for (let i: u32 = 0; i < node.size; i++) {
    const typed = wordAt(termAt(graph.query.terms, node.first + i).words, 0);
    const word = changetype<Word>(node.typed + <usize>i * offsetof<Word>());
    word.text = at;
    word.length = typed.length;
    memory.copy(at, typed.text, typed.length);
    at += typed.length;
  }
}
