/** A dynamic search rule: documents that it puts at fixed places in answers to the searches that fit its conditions. */
export interface SearchRule {
  uid: string;
  description?: string;
  /** RFC 3339: when the last update of it was asked for. */
  lastUpdatedAt: string;
  /** The lowest comes first; rules without one come last. */
  precedence?: number;
  active: boolean;
  conditions: RuleConditions;
  actions: RuleAction[];
}

/** All of them must hold. */
export interface RuleConditions {
  /** RFC 3339 with an offset, both inclusive. */
  time?: { start?: string; end?: string };
  query?: { isEmpty?: boolean; words?: string };
  /** Fields and the values that the filter of the search must ask for. */
  filter?: { values: Record<string, unknown> };
}

export interface RuleAction {
  /** A document by its key, of one index or of all. */
  selector: { indexUid?: string; id: string };
  action: { type: 'pin'; position: number };
}
