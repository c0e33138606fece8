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

export type EqualityOperator = '=' | '!=';
export type OrderOperator = '>' | '>=' | '<' | '<=';
export type ComparisonOperator = EqualityOperator | OrderOperator;
export type TextOperator = 'CONTAINS' | 'STARTS WITH';
export type PresenceTest = 'EXISTS' | 'NULL' | 'EMPTY';

export interface GeoPoint {
  lat: FilterNumber;
  lng: FilterNumber;
}

/** The target of a `_vectors…` condition: any embedder, one embedder, or one state or fragment of it. */
export interface VectorPath {
  embedder: string | null;
  detail: 'any' | 'userProvided' | 'documentTemplate' | 'regenerate' | { fragment: string };
}

/** The conditions on a single field. */
export type FieldCondition =
  | { kind: 'compare'; field: FilterText; operator: ComparisonOperator; value: FilterText }
  | { kind: 'in'; field: FilterText; values: FilterText[] }
  | { kind: 'range'; field: FilterText; low: FilterText; high: FilterText }
  | { kind: 'presence'; field: FilterText; test: PresenceTest }
  | { kind: 'text'; field: FilterText; operator: TextOperator; value: FilterText };

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
