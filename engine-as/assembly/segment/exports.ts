export { ColumnHeader } from '../columns/layout';
export {
  BUILDER_ADDED,
  BUILDER_TOO_MANY_FIELDS,
  BuilderState,
  builderAdd,
  builderAddVectors,
  builderBegin,
  builderFinish,
  builderInput,
} from './builder';
export { CONFIG_ALL_SEARCHABLE, CONFIG_DISABLE_ON_NUMBERS, CONFIG_GEO, CONFIG_NO_DOCUMENTS, CONFIG_NO_WORDS } from './config';
export { FieldState } from './fields';
export {
  NONE,
  OLDEST_SEGMENT_VERSION,
  SECTION_BLOCKS,
  SECTION_COLUMN,
  SECTION_DOC_IDS,
  SECTION_DOC_WORDS,
  SECTION_DOC_WORDS_24,
  SECTION_DOCUMENT_SAMPLE,
  SECTION_DOCUMENTS,
  SECTION_FOLLOWERS,
  SECTION_GEO,
  SECTION_KEY_FILTER,
  SECTION_KEYS,
  SECTION_LONG_RUNS,
  SECTION_LONG_RUNS_13,
  SECTION_POSTINGS,
  SECTION_SAMPLES,
  SECTION_SPLITS,
  SECTION_TERMS,
  SECTION_VALUE_DOCUMENTS,
  SECTION_VECTOR_VALUES,
  SECTION_VECTORS,
  SECTION_WORD_COUNTS,
  SECTIONS_REVISION,
  SEGMENT_MAGIC,
  SEGMENT_VERSION,
  SectionEntry,
  SegmentHeader,
} from './layout';
export { segmentVerify } from './verify';
export {
  keyLookup,
  SegmentView,
  segmentOpen,
} from './view';
export { FileChunk } from './writer';
