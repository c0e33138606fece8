import type { IndexedDocument } from './corpus.js';
import { type QueryNode, TYPO_CLASSES, type TypoClass, type Words } from './graph.js';

/** A node as the rules before have restricted it. */
export interface NodeState {
  node: QueryNode;
  classes: readonly TypoClass[];
  /** Only the exact form is left. */
  exactOnly: boolean;
}

/** A way through the query; later rules see only those that some document chose. */
export type Interpretation = readonly NodeState[];

export interface Live {
  interpretations: readonly Interpretation[];
  /** Nothing has been assigned yet: interpretations that begin alike share their nodes, which decides who is visited first. */
  isInitial: boolean;
}

export const unrestricted = (node: QueryNode): NodeState => ({ node, classes: TYPO_CLASSES, exactOnly: false });
export const stateKey = (s: NodeState): string => `${s.node.id}:${s.classes.join('')}:${s.exactOnly ? 'exact' : ''}`;
export const interpretationKey = (i: Interpretation): string => i.map(stateKey).join(' ');
export const termCount = (i: Interpretation): number => i.reduce((sum, s) => sum + s.node.size, 0);
/** Nothing of the query is between the two nodes. */
export const isContiguous = (left: NodeState, right: NodeState): boolean => left.node.end + 1 === right.node.start;

/** The fewest typos with which a document satisfies the state; null when it does not. */
export function lowestClass(state: NodeState, document: IndexedDocument): TypoClass | null {
  const found = state.node.in(document);
  if (!found) return null;
  // a phrase and synonyms satisfy every class
  const always = found.phrase || found.synonyms.length > 0;
  if (state.exactOnly) {
    const exact = state.node.isShortPrefix ? found.matches[0] : found.exactMatches;
    return always || exact ? 0 : null;
  }
  return state.classes.find((typos) => always || found.matches[typos]) ?? null;
}

export const satisfies = (document: IndexedDocument, state: NodeState): boolean => lowestClass(state, document) !== null;

/** The allowed derivations that occur in the document, in any attribute. */
export function standing(state: NodeState, document: IndexedDocument): { words: string[]; phrases: Words[] } {
  const { node, classes, exactOnly } = state;
  const found = node.in(document);
  if (!found) return { words: [], phrases: [] };
  const words: string[] = [];
  const phrases: Words[] = [...found.synonyms];
  if (found.phrase) phrases.push(node.phrase as Words);
  if (found.exact && classes.includes(0)) words.push(node.exact as string);
  if (exactOnly) {
    if (node.isShortPrefix) words.push(...found.words[0]);
    return { words, phrases };
  }
  for (const typos of classes) words.push(...found.words[typos]);
  if (found.split && classes.includes(1)) phrases.push(node.split as Words);
  return { words, phrases };
}

/** The word by which each standing derivation is placed: itself, or the first word of a phrase. */
export function leadingWords(state: NodeState, document: IndexedDocument): string[] {
  const { words, phrases } = standing(state, document);
  return [...words, ...phrases.map((phrase) => phrase.find((word) => word !== null) as string)];
}
