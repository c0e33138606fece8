import { type FilterNode, forEachCondition } from './filter-ast.js';

const NOTHING: readonly FilterNode[] = [];

/** The conjuncts of a filter. */
export function conjuncts(filter: FilterNode | null): readonly FilterNode[] {
  if (filter === null) return NOTHING;
  return filter.kind === 'and' ? filter.items.flatMap(conjuncts) : [filter];
}

/** The conjunction of two filters. */
export function both(one: FilterNode | null, other: FilterNode | null): FilterNode | null {
  if (one === null || other === null) return one ?? other;
  return allOf([...conjuncts(one), ...conjuncts(other)]);
}

/** The conjunction of several filters; null when there are none. */
export function allOf(parts: readonly FilterNode[]): FilterNode | null {
  const [first] = parts;
  if (first === undefined) return null;
  return parts.length === 1 ? first : { kind: 'and', items: [...parts] };
}

/** The field of all conditions of a filter; null when they concern several fields, or no field. */
export function onlyField(filter: FilterNode): string | null {
  const fields = new Set<string | null>();
  forEachCondition(filter, (condition) => {
    const plain = 'field' in condition && condition.kind !== 'foreign';
    fields.add(plain ? condition.field.text : null);
  });
  const [only] = fields;
  return fields.size === 1 ? (only ?? null) : null;
}
