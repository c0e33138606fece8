import type { IndexView } from '../../../bindings/index-types.js';
import type { FilterNode } from '../../../bindings/query/filter-ast.js';
import { checkFilter } from '../../../bindings/query/filter-check.js';
import { parseFilter } from '../../../bindings/query/filter-parse.js';

/**
 * The filter by which a task selects documents; null: it selects all. It must suit the settings of the index also when the index has
 * no documents.
 * @throws {ApiError} invalid_document_filter
 */
export function checkedFilter({ settings, uid }: IndexView, filter: unknown): FilterNode | null {
  const node = filter === null ? null : parseFilter(filter, 'invalid_document_filter');
  if (node) checkFilter(node, settings, uid, 'invalid_document_filter');
  return node;
}
