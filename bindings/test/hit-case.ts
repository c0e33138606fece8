import { ByteWriter } from '../format/byte-writer.js';
import { hitWriter } from '../format/hits.js';
import type { MatchSequence, MatchTerms, MatchWord } from '../format/match-terms.js';
import type { IndexSettings, IndexView } from '../index-types.js';
import { parseSearchBody } from '../query/request.js';
import { loadPlainEngine } from './engine.js';

const engine = loadPlainEngine();
const encoder = new TextEncoder();
const decoder = new TextDecoder();

export const SETTINGS: IndexSettings = {
  displayedAttributes: null,
  searchableAttributes: null,
  filterableAttributes: [],
  sortableAttributes: [],
  foreignKeys: [],
  chat: { description: '', documentTemplate: '', documentTemplateMaxBytes: 400, searchParameters: {} },
  rankingRules: ['words', 'typo', 'proximity', 'attribute', 'sort', 'exactness'],
  stopWords: [],
  nonSeparatorTokens: [],
  separatorTokens: [],
  dictionary: [],
  synonyms: {},
  distinctAttribute: null,
  proximityPrecision: 'byWord',
  typoTolerance: {
    enabled: true,
    minWordSizeForTypos: { oneTypo: 5, twoTypos: 9 },
    disableOnWords: [],
    disableOnAttributes: [],
    disableOnNumbers: false,
  },
  faceting: { maxValuesPerFacet: 100, sortFacetValuesBy: { '*': 'alpha' } },
  pagination: { maxTotalHits: 1000 },
  searchCutoffMs: null,
  localizedAttributes: null,
  facetSearch: true,
  prefixSearch: 'indexingTime',
  embedders: {},
  embedderIds: 0,
};

/** A state of an index that knows these fields, without documents. */
export function viewOf(fields: string[], settings: Partial<IndexSettings> = {}): IndexView {
  return { uid: 'i', version: 1, primaryKey: 'id', settings: { ...SETTINGS, ...settings }, fields, segments: [] };
}

/** Every path of values, as an index collects them. */
export function fieldsOf(...documents: unknown[]): string[] {
  const paths = new Set<string>();
  const walk = (value: unknown, path: string) => {
    if (Array.isArray(value)) {
      for (const item of value) walk(item, path);
    } else if (value !== null && typeof value === 'object') {
      for (const [name, member] of Object.entries(value)) {
        const child = path === '' ? name : `${path}.${name}`;
        paths.add(child);
        walk(member, child);
      }
    }
  };
  for (const document of documents) walk(document, '');
  return [...paths];
}

/** The text of the hit of one document (JSON text), under the body of a search. */
export function hitText(view: IndexView, json: string, body: object, terms: Partial<MatchTerms> = {}): string {
  return hitsText(view, [json], body, terms);
}

/** The texts of the hits of several documents, with commas between them. */
export function hitsText(view: IndexView, documents: string[], body: object, terms: Partial<MatchTerms> = {}): string {
  const request = parseSearchBody(encoder.encode(JSON.stringify(body)));
  return engine.scoped(() => {
    const out = new ByteWriter();
    const writer = hitWriter(out, view, engine, request, { words: [], sequences: [], stopWords: [], indexed: null, ...terms });
    for (const json of documents) writer.hit(encoder.encode(json));
    writer.end();
    return decoder.decode(out.view());
  });
}

export function hit(view: IndexView, document: unknown, body: object, terms: Partial<MatchTerms> = {}): Record<string, unknown> {
  return JSON.parse(hitText(view, JSON.stringify(document), body, terms));
}

/** Terms as a query without typos makes them: words, the last one a prefix unless a space follows; phrases in double quotes. */
export function termsOf(q: string): MatchTerms {
  const words: MatchWord[] = [];
  const sequences: MatchSequence[] = [];
  let position = 0;
  for (const part of q.match(/"[^"]*"|[^ "]+/g) ?? []) {
    const typed = part.replaceAll('"', '').split(' ');
    const positions = typed.map(() => position++);
    if (part.startsWith('"')) sequences.push({ words: typed, positions });
    else words.push({ text: part, prefix: q.endsWith(part), known: true, typos: [], positions });
  }
  return { words, sequences, stopWords: [], indexed: null };
}

/** The formatted text of a field `t`. */
export function formattedText(text: string, terms: Partial<MatchTerms>, body: object = { attributesToHighlight: ['t'] }): string {
  const formatted = hit(viewOf(['t']), { t: text }, body, terms)._formatted as { t: string };
  return formatted.t;
}
