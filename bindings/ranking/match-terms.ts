import type { MatchSequence, MatchTerms, MatchWord } from '../format/match-terms.js';
import type { ParsedQuery } from '../query/parse.js';
import type { QueryGraph } from './graph.js';
import type { QueryNode } from './node.js';

/**
 * What the words of a query are highlighted by, in all attributes, whichever are searched. `recut`: texts may be cut otherwise than they
 * were indexed, for the request names locales.
 */
export function matchTermsOf(graph: QueryGraph, parsed: ParsedQuery, recut: boolean): MatchTerms {
  const { attributes, dictionary } = graph.space;
  const words: MatchWord[] = [];
  const sequences: MatchSequence[] = [];
  for (const node of graph.nodes) {
    const positions = Array.from({ length: node.end - node.start + 1 }, (_, index) => node.start + index);
    if (node.isPhrase) {
      const typed = withoutOuterGaps(graph.terms[node.first]?.words ?? []);
      if (typed.length > 0) sequences.push({ words: typed, positions });
      continue;
    }
    const word = wordOf(graph, node, positions);
    if (!node.isNgram || node.documents !== 0 || (attributes.restricted && word.known)) words.push(word);
    for (const phrase of node.phrases) sequences.push({ words: [...phrase.words], positions });
    const split = node.derivations?.split;
    if (split && !node.phrases.some(({ kind }) => kind === 'split')) sequences.push({ words: [...split], positions });
  }
  const indexed = recut ? (text: string) => dictionary.find(text).length > 0 : null;
  return { words, sequences, stopWords: parsed.stopWords, indexed };
}

function wordOf(graph: QueryGraph, node: QueryNode, positions: number[]): MatchWord {
  const { dictionary } = graph.space;
  const { derivations } = node;
  const prefix = graph.terms[node.last]?.prefix ?? false;
  const known = derivations !== null && (derivations.exact.length > 0 || derivations.prefixes.length > 0);
  const typos = derivations ? dictionary.texts([...derivations.one, ...derivations.two]) : [];
  return { text: node.text, prefix, known, typos, positions };
}

function withoutOuterGaps(words: readonly (string | null)[]): (string | null)[] {
  let from = 0;
  let to = words.length;
  while (from < to && words[from] === null) from++;
  while (to > from && words[to - 1] === null) to--;
  return words.slice(from, to);
}
