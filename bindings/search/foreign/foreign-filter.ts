import { pageInOrder } from '../../engine/internal-order.js';
import type { IndexReader } from '../../engine/segments.js';
import { apiError } from '../../errors.js';
import { type FilterNode, type FilterText, forEachCondition } from '../../query/filter-ast.js';
import { checkFilter } from '../../query/filter-check.js';
import { evaluateFilter } from '../../query/filter-evaluate.js';
import { JsonNumber, type JsonValue, parseJson } from '../../query/json.js';
import type { SearchSession } from '../session.js';
import { ANY_DEPTH, JoinedIndex } from './joined-index.js';

/** Maximum number of documents of another index that a condition may select. */
const MAX_FOREIGN_DOCUMENTS = 100;
const decoder = new TextDecoder();

type ForeignCondition = Extract<FilterNode, { kind: 'foreign' }>;

/** Whether a filter has conditions on documents of other indexes. */
export function hasForeign(filter: FilterNode): boolean {
  let found = false;
  forEachCondition(filter, ({ kind }) => {
    found ||= kind === 'foreign';
  });
  return found;
}

/**
 * Replaces `_foreign(field, …)` by `field IN [keys of the selected documents]`. The filter must have been checked.
 * @throws {ApiError} invalid_document_filter when the other index does not allow a condition, invalid_search_filter when too many
 * documents match
 */
export function withoutForeign(session: SearchSession, reader: IndexReader, filter: FilterNode | null): FilterNode | null {
  return filter && resolved(session, reader, filter);
}

function resolved(session: SearchSession, reader: IndexReader, node: FilterNode): FilterNode {
  switch (node.kind) {
    case 'and':
    case 'or':
      return { ...node, items: node.items.map((item) => resolved(session, reader, item)) };
    case 'not':
      return { ...node, item: resolved(session, reader, node.item) };
    case 'foreign':
      return { kind: 'field', field: node.field, operator: 'IN', values: keysFound(session, reader, node) };
    default:
      return node;
  }
}

function keysFound(session: SearchSession, { view }: IndexReader, { field, filter }: ForeignCondition): FilterText[] {
  const key = view.settings.foreignKeys.find(({ fieldName }) => fieldName === field.text);
  if (!key) throw new Error(`${field.text} was not checked to be a foreign key`);
  const { reader, visible } = JoinedIndex.open(session, key.foreignIndexUid);
  checkFilter(filter, reader.view.settings, reader.view.uid, 'invalid_document_filter');
  const found = evaluateFilter(reader, filter);
  reader.intersect(found, visible);
  const count = reader.count(found);
  if (count > MAX_FOREIGN_DOCUMENTS) {
    throw apiError('invalid_search_filter', 'foreignDocuments', {
      field: field.text,
      count,
      uid: reader.view.uid,
      most: MAX_FOREIGN_DOCUMENTS,
    });
  }
  return pageInOrder(reader, found, 0, count).map((slot) => ({ ...field, text: keyOf(reader, slot), quoted: true }));
}

/** The key of a document as a string. */
function keyOf(reader: IndexReader, slot: number): string {
  const document = parseJson(decoder.decode(reader.document(slot)), ANY_DEPTH);
  const key = memberAt(document, (reader.view.primaryKey ?? '').split('.'));
  return key instanceof JsonNumber ? key.text : String(key);
}

function memberAt(holder: JsonValue | undefined, path: readonly string[]): JsonValue | undefined {
  if (!(holder instanceof Map)) return undefined;
  for (let parts = path.length; parts > 0; parts--) {
    const value = holder.get(path.slice(0, parts).join('.'));
    const found = parts === path.length ? value : memberAt(value, path.slice(parts));
    if (found !== undefined) return found;
  }
  return undefined;
}
