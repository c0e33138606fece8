/** The answer of a route that lists something: one page, and the number of all items. @param view how an item is shown */
export function pageOf<Item, View>(
  items: readonly Item[],
  { offset, limit }: { offset: number; limit: number },
  view: (item: Item) => View,
): { results: View[]; offset: number; limit: number; total: number } {
  return { results: items.slice(offset, offset + limit).map(view), offset, limit, total: items.length };
}
