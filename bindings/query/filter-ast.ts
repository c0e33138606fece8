/** A name or a value of a filter, and where it stands: errors point at it. */
export interface FilterText {
  text: string;
  /** The whole expression it was read from. */
  source: string;
  /** In UTF-16 units of the source, quotes included. */
  start: number;
  end: number;
  quoted: boolean;
}

/** A number of a geo function, and where it stands. */
export interface FilterNumber {
  value: number;
  source: string;
  start: number;
  end: number;
}

/** Where an error points. */
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

/** What `_vectors…` asks for: a vector of any embedder, of one, or of one state or fragment of one. */
export interface VectorPath {
  embedder: string | null;
  detail: 'any' | 'userProvided' | 'documentTemplate' | 'regenerate' | { fragment: string };
}

/** Conditions on one field. */
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

/** Calls a visitor with every condition, in the order in which they were written. */
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
