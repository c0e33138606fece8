import { type FilterNode, forEachCondition } from './filter-ast.js';

const NOTHING: readonly FilterNode[] = [];

/** The parts of a filter that must all hold. */
export function conjuncts(filter: FilterNode | null): readonly FilterNode[] {
  if (filter === null) return NOTHING;
  return filter.kind === 'and' ? filter.items.flatMap(conjuncts) : [filter];
}

/** The filter that holds where both do. */
export function both(one: FilterNode | null, other: FilterNode | null): FilterNode | null {
  if (one === null || other === null) return one ?? other;
  return allOf([...conjuncts(one), ...conjuncts(other)]);
}

/** The filter that holds where all parts do; null: everywhere. */
export function allOf(parts: readonly FilterNode[]): FilterNode | null {
  const [first] = parts;
  if (first === undefined) return null;
  return parts.length === 1 ? first : { kind: 'and', items: [...parts] };
}

/** The field that every condition of a filter is on; null when there are others, or conditions on no single field. */
export function onlyField(filter: FilterNode): string | null {
  const fields = new Set<string | null>();
  forEachCondition(filter, (condition) => {
    const plain = 'field' in condition && condition.kind !== 'foreign';
    fields.add(plain ? condition.field.text : null);
  });
  const [only] = fields;
  return fields.size === 1 ? (only ?? null) : null;
}
