import { hasMember } from '../../engine/bitmaps.js';
import { slotOfKey } from '../../engine/document-keys.js';
import type { IndexReader } from '../../engine/segments.js';
import { apiError } from '../../errors.js';
import { ByteWriter } from '../../format/byte-writer.js';
import { formatHits, hitFormat } from '../../format/hits.js';
import { evaluateFilter } from '../../query/filter-evaluate.js';
import { parseFilter } from '../../query/filter-parse.js';
import { type JsonValue, parseJson } from '../../query/json.js';
import { SEARCH_DEFAULTS } from '../../query/request.js';
import { RankedHits, unrankedHit } from '../../ranking/ranked.js';
import type { SearchSession } from '../session.js';

/** Stored documents may be nested to any depth. */
export const ANY_DEPTH = Number.MAX_SAFE_INTEGER;

const decoder = new TextDecoder();

/** An index whose documents are joined into another one's, as far as the caller may see it. */
export class JoinedIndex {
  readonly #documents = new Map<string, JsonValue>();
  readonly #out = new ByteWriter();

  private constructor(
    readonly reader: IndexReader,
    /** Bitmap of the documents that the caller may see. */
    readonly visible: number,
  ) {}

  /** @throws {ApiError} index_not_found, also when the caller may not read it */
  static open(session: SearchSession, uid: string): JoinedIndex {
    const rights = session.rightsOn(uid);
    if (rights === null) throw apiError('index_not_found', 'absent', { uid });
    const reader = session.open(uid);
    const filter = parseFilter(rights.filter ?? null, 'invalid_search_filter');
    return new JoinedIndex(reader, filter ? evaluateFilter(reader, filter) : reader.liveBitmap());
  }

  /** The displayed form of a document; an empty object when it does not exist. Each document is read once. */
  document(key: string): JsonValue {
    const known = this.#documents.get(key);
    if (known !== undefined) return known;
    const slot = slotOfKey(this.reader, key);
    const there = slot >= 0 && hasMember(this.reader.instance, this.visible, slot);
    const document: JsonValue = there ? this.#displayed(slot) : new Map();
    this.#documents.set(key, document);
    return document;
  }

  #displayed(slot: number): JsonValue {
    const out = this.#out.reset();
    formatHits(
      out,
      this.reader,
      hitFormat(this.reader.view, SEARCH_DEFAULTS),
      RankedHits.listed(this.reader, [unrankedHit(slot)]),
    );
    return parseJson(decoder.decode(out.view()), ANY_DEPTH);
  }
}
