import type { BuilderConfig } from '../engine/builder-config.js';

/** Segments of documents whose every text is searched and whose fields have no columns: what tests begin with. */
export const PLAIN_CONFIG: BuilderConfig = {
  fields: [],
  primaryKey: 'id',
  searchable: null,
  exactAttributes: [],
  disableOnNumbers: false,
  tokenizer: { stopWords: [], separatorTokens: [], nonSeparatorTokens: [], dictionary: [] },
  localized: [],
  columnsUnder: [],
  columnPatterns: [],
  geo: false,
  longRun: 1,
};
