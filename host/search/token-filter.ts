/** The request with the filter of the token added: all items of a filter array must hold. */
export function withTokenFilter<Request extends { filter: unknown }>(request: Request, tokenFilter: unknown): Request {
  if (tokenFilter === undefined || tokenFilter === null) return request;
  const { filter } = request;
  return { ...request, filter: [...(filter === null ? [] : itemsOf(filter)), ...itemsOf(tokenFilter)] };
}

function itemsOf(filter: unknown): unknown[] {
  return Array.isArray(filter) ? filter : [filter];
}
