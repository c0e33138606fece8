import type { EngineInstance } from '../engine/instance.js';
import type { IndexReader } from '../engine/segments.js';
import { geoDistances } from '../engine/sorting.js';
import type { IndexSettings, IndexView } from '../index-types.js';
import type { SearchRequest } from '../query/request.js';
import { type ByteWriter, jsonInside } from './byte-writer.js';
import { floatText } from './float-text.js';
import { type FormatPlan, formatPlan } from './format-plan.js';
import type { HighlightMatch } from './match-finder.js';
import { type MatchTerms, NO_MATCH_TERMS } from './match-terms.js';
import { FormatWalker, type MatchSink, writeProjection } from './projection.js';
import { CLOSE_ARRAY, CLOSE_OBJECT, COMMA, findMember, OPEN_ARRAY, OPEN_OBJECT, skipBlanks } from './raw-json.js';
import { TermMatcher } from './term-matcher.js';
import { TextFormatter } from './text-formatter.js';

/** What a search knows of its hits beside the documents; every list is in the order of the hits. */
export interface HitExtras {
  /** Ranking scores, shown when the request asks for them. */
  scores?: ArrayLike<number>;
  /** JSON texts of the score details, shown when the request asks for them. */
  details?: readonly string[];
  /** The point of the first `_geoPoint` that the search sorts by: hits show their distance from it. */
  geoPoint?: { lat: number; lng: number } | null;
  /** JSON texts of `_federation`. */
  federation?: readonly string[];
}

const VECTORS = '_vectors';

/**
 * Writes the JSON array of the hits of a search. Runs inside a scratch scope of the reader's instance.
 * @param slots documents in the order of the answer
 */
export function formatHits(
  out: ByteWriter,
  reader: IndexReader,
  request: SearchRequest,
  slots: readonly number[],
  terms: MatchTerms = NO_MATCH_TERMS,
  extras: HitExtras = {},
): void {
  const writer = new HitWriter(out, reader.view, reader.instance, request, terms);
  const point = extras.geoPoint;
  const distances = point ? geoDistances(reader, point.lat, point.lng, Uint32Array.from(slots)) : null;
  out.byte(OPEN_ARRAY);
  for (const [position, slot] of slots.entries()) {
    if (position > 0) out.byte(COMMA);
    out.byte(OPEN_OBJECT);
    writer.document(reader.document(slot));
    const distance = distances?.[position] ?? Number.NaN;
    if (!Number.isNaN(distance)) {
      const metres = String(Math.round(distance));
      writer.member('geoDistance', metres);
      writer.member('_geoDistance', metres);
    }
    if (extras.federation) writer.member('_federation', extras.federation[position] as string);
    if (request.showRankingScore && extras.scores) writer.member('_rankingScore', floatText(extras.scores[position] as number));
    if (request.showRankingScoreDetails && extras.details) {
      writer.member('_rankingScoreDetails', extras.details[position] ?? '{}');
    }
    out.byte(CLOSE_OBJECT);
  }
  out.byte(CLOSE_ARRAY);
}

/** Writes the members of hits: from their documents, and others. */
export class HitWriter {
  readonly #plan: FormatPlan;
  readonly #walker: FormatWalker | null;
  readonly #showVectors: boolean;
  /** Positions of the current hit: JSON items by path. */
  readonly #positions = new Map<string, string>();

  constructor(
    readonly out: ByteWriter,
    view: IndexView,
    instance: EngineInstance,
    readonly request: SearchRequest,
    terms: MatchTerms,
  ) {
    const { settings } = view;
    this.#plan = formatPlan(view, request);
    this.#showVectors = request.retrieveVectors && showsVectors(settings);
    this.#walker = null;
    if (!this.#plan.formats && !request.showMatchesPosition) return;
    const insertions = {
      preTag: jsonInside(request.highlightPreTag),
      postTag: jsonInside(request.highlightPostTag),
      marker: jsonInside(request.cropMarker),
    };
    const formatter = new TextFormatter(instance, settings, new TermMatcher(terms), insertions);
    this.#walker = new FormatWalker(formatter, request.showMatchesPosition ? this.#collect : null);
  }

  document(json: Uint8Array): void {
    const { out } = this;
    const { root, whole, formats } = this.#plan;
    if (whole) writeWhole(json, out);
    else writeProjection(json, root, out);
    if (this.#showVectors) this.member(VECTORS, null, storedVectors(json));
    if (!this.#walker) return;
    this.#positions.clear();
    if (formats) this.#name('_formatted');
    this.#walker.document(json, root, formats ? out : null);
    if (this.request.showMatchesPosition) this.member('_matchesPosition', this.#positionsJson());
  }

  /** Writes a member whose value is JSON text or bytes. */
  member(name: string, text: string | null, bytes?: Uint8Array): void {
    this.#name(name);
    if (text !== null) this.out.text(text);
    if (bytes) this.out.all(bytes);
  }

  #name(name: string): void {
    if (this.out.bytes[this.out.length - 1] !== OPEN_OBJECT) this.out.byte(COMMA);
    this.out.text(`"${name}":`);
  }

  readonly #collect: MatchSink = (path, indices, matches) => {
    const places = indices.length > 0 ? `,"indices":[${indices.join()}]` : '';
    const items = matches.map(({ from, to }: HighlightMatch) => `{"start":${from},"length":${to - from}${places}}`).join();
    const before = this.#positions.get(path);
    this.#positions.set(path, before === undefined ? items : `${before},${items}`);
  };

  #positionsJson(): string {
    return `{${[...this.#positions].map(([path, items]) => `${JSON.stringify(path)}:[${items}]`).join()}}`;
  }
}

/** Whether `_vectors` may be shown. */
function showsVectors({ displayedAttributes }: IndexSettings): boolean {
  return displayedAttributes === null || displayedAttributes.includes('*') || displayedAttributes.includes(VECTORS);
}

/** JSON of the vectors that are stored in a document, `{}` without any. */
export function storedVectors(json: Uint8Array): Uint8Array {
  const found = findMember(json, VECTORS);
  return found && json[found.from] === OPEN_OBJECT ? json.subarray(found.from, found.to) : NO_VECTORS;
}

const NO_VECTORS = Uint8Array.of(OPEN_OBJECT, CLOSE_OBJECT);

/** Copies all members of a document, without the braces around them. */
export function writeWhole(json: Uint8Array, out: ByteWriter): void {
  let end = json.length - 1;
  while (json[end] !== CLOSE_OBJECT) end--;
  out.slice(json, Math.min(skipBlanks(json, skipBlanks(json, 0) + 1), end), end);
}
