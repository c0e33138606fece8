/** A name or value in a filter with its position, to which error messages point. */
export interface FilterText {
  text: string;
  /** The whole expression that contains it. */
  source: string;
  /** Range in UTF-16 units of the source, including quotes. */
  start: number;
  end: number;
  quoted: boolean;
}

/** A number argument of a geo function with its position. */
export interface FilterNumber {
  value: number;
  source: string;
  start: number;
  end: number;
}

/** A range to which an error message points. */
export type FilterSpan = Pick<FilterText, 'source' | 'start' | 'end'>;

export type OrderOperator = '>' | '>=' | '<' | '<=';
export type FieldOperator =
  | '='
  | '!='
  | 'IN'
  | OrderOperator
  | 'TO'
  | 'EXISTS'
  | 'IS NULL'
  | 'IS EMPTY'
  | 'CONTAINS'
  | 'STARTS WITH';

export interface GeoPoint {
  lat: FilterNumber;
  lng: FilterNumber;
}

/** The target of a `_vectors…` condition: any embedder, one embedder, or one state or fragment of it. */
export interface VectorPath {
  embedder: string | null;
  detail: 'any' | 'userProvided' | 'documentTemplate' | 'regenerate' | { fragment: string };
}

/** A condition on a single field. */
export interface FieldCondition {
  kind: 'field';
  field: FilterText;
  operator: FieldOperator;
  /** `IN`: any number; `TO`: the least and the greatest value; tests for presence: none; all others: one. */
  values: FilterText[];
}

export type GeoCondition =
  | { kind: 'radius'; span: FilterSpan; center: GeoPoint; metres: number; resolution: FilterNumber | null }
  | { kind: 'box'; span: FilterSpan; topRight: GeoPoint; bottomLeft: GeoPoint }
  | { kind: 'polygon'; span: FilterSpan; points: GeoPoint[] };

export type FilterNode =
  | { kind: 'and' | 'or'; items: FilterNode[] }
  | { kind: 'not'; item: FilterNode }
  | FieldCondition
  | GeoCondition
  | { kind: 'vectors'; span: FilterSpan; path: VectorPath }
  | { kind: 'foreign'; span: FilterSpan; field: FilterText; filter: FilterNode };

/** Visits all conditions in the order in which they were written. */
export function forEachCondition(
  node: FilterNode,
  visit: (condition: Exclude<FilterNode, { kind: 'and' | 'or' | 'not' }>) => void,
): void {
  switch (node.kind) {
    case 'and':
    case 'or':
      for (const item of node.items) forEachCondition(item, visit);
      return;
    case 'not':
      forEachCondition(node.item, visit);
      return;
    default:
      visit(node);
  }
}
