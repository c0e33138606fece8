/** The exports of the module: one line per folder. */
export * from './automata/exports';
export * from './columns/exports';
export * from './costs/exports';
export * from './embed/exports';
export * from './facets/exports';
export * from './filter/exports';
export * from './json/exports';
export * from './plan/exports';
export * from './rank/exports';
export * from './remote/exports';
export * from './runtime/exports';
export * from './segment/exports';
export * from './sets/exports';
export * from './store/exports';
export * from './text/exports';
export * from './vector/exports';
export * from './write/exports';
