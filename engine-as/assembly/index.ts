/** What the host may call: one line a concern. */
export * from './automata/exports';
export * from './columns/exports';
export * from './dictionary/exports';
export * from './filter/exports';
export * from './geo/exports';
export * from './json/exports';
export * from './postings/exports';
export * from './ranking/exports';
export * from './runtime/exports';
export * from './segment/exports';
export * from './sets/exports';
export * from './store/exports';
export * from './text/exports';
export * from './vector/exports';
export * from './write/exports';
