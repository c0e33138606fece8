import { SegmentBuilder } from '../engine/builder.js';
import { builderConfig } from '../engine/builder-config.js';
import { SegmentHeader, type Segments } from '../engine/exports.js';
import { type BlockSource, privateInstance } from '../engine/instance.js';
import { IndexReader } from '../engine/segments.js';
import { ByteWriter } from '../format/byte-writer.js';
import { writeHits } from '../format/hit-writer.js';
import { hitFormat } from '../format/hits.js';
import type { IndexSettings, IndexView } from '../index-types.js';
import { parseSearchBody } from '../query/request.js';
import { RankedHits, unrankedHit } from '../ranking/ranked.js';
import { loadPlainEngine, plainModule } from './engine.js';
import { type MatchSequence, type MatchTerms, type MatchWord, putTerms } from './match-terms.js';

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

/** A state of an index that has these fields and no documents. */
export function viewOf(fields: string[], settings: Partial<IndexSettings> = {}): IndexView {
  return { uid: 'i', version: 1, primaryKey: 'id', settings: { ...SETTINGS, ...settings }, fields, segments: [] };
}

/** Every path of the values, in the order in which an index numbers fields. */
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
    const put = putTerms(engine, { words: [], sequences: [], stopWords: [], ...terms });
    const stored = documents.map((json) => encoder.encode(json));
    const hits = {
      hits: RankedHits.listed(
        { instance: engine },
        stored.map(() => unrankedHit(0)),
      ),
      terms: put,
      members: null,
      documents: stored,
    };
    const form = { ...hitFormat(view, request), checksIndex: terms.indexed !== undefined };
    writeHits(out, engine, segmentsWith(terms.indexed ?? []), form, hits);
    return decoder.decode(out.view());
  });
}

const builders = privateInstance(plainModule());
const NO_FILE: BlockSource = { read: () => {} };

/** An index of one document with some words, opened in scratch memory. */
function segmentsWith(words: readonly string[]): Segments {
  const builder = new SegmentBuilder(builders, builderConfig(SETTINGS, [], 'id'));
  builder.add(0, encoder.encode('key'), encoder.encode(JSON.stringify({ id: 'key', t: words.join(' ') })));
  const { pieces } = builder.finishInMemory();
  const file = Buffer.concat(pieces);
  const { docCount, residentLength } = SegmentHeader.read(new DataView(file.buffer, file.byteOffset), 0);
  const places = { memory: 0, pointer: engine.put(file.subarray(0, residentLength)), tombstones: 0, documents: 0 };
  const lengths = { docCount, liveCount: docCount, residentLength, fileLength: file.length };
  const ref = { id: 1, file: '1', ...lengths, ...places };
  const view = { ...viewOf(builder.fields), segments: [ref] };
  return new IndexReader(view, { mainMemory: () => 0, instance: () => engine, source: () => NO_FILE }).inPlan();
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
  return { words, sequences, stopWords: [] };
}

/** The formatted text of a field `t`. */
export function formattedText(text: string, terms: Partial<MatchTerms>, body: object = { attributesToHighlight: ['t'] }): string {
  const formatted = hit(viewOf(['t']), { t: text }, body, terms)._formatted as { t: string };
  return formatted.t;
}
