/** The variables of a document template. */
export interface DocumentScope {
  doc: Record<string, unknown>;
  fields: { name: string; value: unknown; is_searchable: boolean }[];
}

/** The variables of a search fragment; members that the request lacks are undefined. */
export interface SearchScope {
  q?: string;
  media?: unknown;
}
