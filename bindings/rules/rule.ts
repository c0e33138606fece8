/** A dynamic search rule: pins documents to fixed positions in the answers to searches that satisfy its conditions. */
export interface SearchRule {
  uid: string;
  description?: string;
  /** RFC 3339: date of the request of its last update. */
  lastUpdatedAt: string;
  /** Rules with lower numbers come first; rules without precedence come last. */
  precedence?: number;
  active: boolean;
  conditions: RuleConditions;
  actions: RuleAction[];
}

/** All conditions must hold. */
export interface RuleConditions {
  /** RFC 3339 with an offset, both inclusive. */
  time?: { start?: string; end?: string };
  query?: { isEmpty?: boolean; words?: string };
  /** Fields with the values that the filter of the search must require. */
  filter?: { values: Record<string, unknown> };
}

export interface RuleAction {
  /** A document by its key, in one index or in all. */
  selector: { indexUid?: string; id: string };
  action: { type: 'pin'; position: number };
}
