import { addMember } from './engine/bitmaps.js';
import { slotOfKey } from './engine/document-keys.js';
import { pageInOrder } from './engine/internal-order.js';
import type { IndexReader } from './engine/segments.js';
import { apiError } from './errors.js';
import type { ByteWriter } from './format/byte-writer.js';
import { formatPlan } from './format/format-plan.js';
import { writeHits } from './format/hit-writer.js';
import { hasEmbedders, vectorsMember } from './format/vectors-json.js';
import type { DocumentRequest, PreparedFetch } from './query/fetch-request.js';
import { checkFilter, checkFilterGates } from './query/filter-check.js';
import { evaluateFilter } from './query/filter-evaluate.js';
import { parseFilter } from './query/filter-parse.js';
import { SEARCH_DEFAULTS } from './query/request.js';
import { checkDocumentSort } from './query/sort.js';
import { RankedHits, unrankedHit } from './ranking/ranked.js';
import { sortedDocuments } from './ranking/sorted-documents.js';
import { withoutForeign } from './search/foreign/foreign-filter.js';
import type { SearchSession } from './search/session.js';

const FILTER_CODE = 'invalid_document_filter';

/**
 * Writes a page of documents: `{"results", "offset", "limit", "total"}`. `displayedAttributes` does not apply.
 * @throws ApiError index_not_found; for an invalid filter, or attributes that are not sortable
 */
export function fetchDocuments(session: SearchSession, uid: string, request: PreparedFetch): Uint8Array {
  const { out } = session;
  const reader = session.open(uid);
  const { offset, limit, sort } = request;
  const selected = selectedDocuments(session, reader, request);
  checkDocumentSort(sort, reader);
  const total = reader.count(selected);
  const hits =
    sort.length === 0
      ? RankedHits.listed(reader, pageInOrder(reader, selected, offset, limit).map(unrankedHit))
      : sortedDocuments(reader, selected, sort, offset + limit).slice(offset, offset + limit);
  out.text('{"results":[');
  writeDocuments(out, reader, hits, request);
  out.text(`],"offset":${offset},"limit":${limit},"total":${total}}`);
  return out.view();
}

/**
 * Writes one document.
 * @throws ApiError index_not_found, document_not_found
 */
export function fetchDocument(session: SearchSession, uid: string, id: string, request: DocumentRequest): Uint8Array {
  const { out } = session;
  const reader = session.open(uid);
  const slot = slotOfKey(reader, id);
  if (slot < 0) throw apiError('document_not_found', 'notFound', { uid: reader.view.uid, id });
  writeDocuments(out, reader, RankedHits.listed(reader, [unrankedHit(slot)]), request);
  return out.view();
}

/** Bitmap of the live documents selected by `ids` and `filter`. */
function selectedDocuments(
  session: SearchSession,
  reader: IndexReader,
  { ids, filter }: Pick<PreparedFetch, 'ids' | 'filter'>,
): number {
  const { instance, view } = reader;
  const parsed = parseFilter(filter, FILTER_CODE);
  if (parsed) {
    checkFilterGates(parsed, session.features);
    checkFilter(parsed, view.settings, view.uid, FILTER_CODE);
  }
  const resolved = withoutForeign(session, reader, parsed);
  const passing = resolved ? evaluateFilter(reader, resolved) : reader.liveBitmap();
  if (ids === null) return passing;
  const named = reader.newBitmap();
  for (const id of ids) {
    const slot = slotOfKey(reader, id);
    if (slot >= 0) addMember(instance, named, slot);
  }
  reader.intersect(named, passing);
  return named;
}

/** Writes documents in the form of the document routes. */
function writeDocuments(
  out: ByteWriter,
  reader: IndexReader,
  hits: RankedHits,
  { fields, retrieveVectors }: DocumentRequest,
): void {
  const stored = hasEmbedders(reader.view);
  const plan = formatPlan(reader.view, { ...SEARCH_DEFAULTS, attributesToRetrieve: fields }, retrieveVectors && !stored, true);
  const members =
    retrieveVectors && stored ? hits.list.map(({ slot }) => vectorsMember(reader, slot, reader.document(slot))) : null;
  const form = { plan, checksIndex: false, score: false, details: false };
  writeHits(out, reader.instance, reader.inPlan(), form, { hits, members });
}
