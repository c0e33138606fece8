export {
  BUILDER_ADDED,
  BUILDER_TOO_MANY_FIELDS,
  builderAdd,
  builderAddVectors,
  builderBegin,
  builderDocumentCount,
  builderFieldCount,
  builderFieldLength,
  builderFieldPath,
  builderFinish,
  builderInput,
  builderLearn,
  builderRawBytes,
  builderResidentLength,
} from './builder';
export { CONFIG_ALL_SEARCHABLE, CONFIG_DISABLE_ON_NUMBERS, CONFIG_GEO } from './config';
export { COLUMN_SINGLE_NUMBER, COLUMN_SINGLE_STRING, ColumnHeader, NONE, SectionEntry, SegmentHeader } from './layout';
export {
  columnOf,
  documentBlock,
  documentBlockFirst,
  documentBlockLength,
  documentBlockOffset,
  documentBlockRaw,
  documentId,
  keyLength,
  keyLookup,
  keyPointer,
  segmentOpen,
  segmentTokenizerVersion,
  segmentVerify,
} from './view';
export { chunkCount, chunkLength, chunkPointer } from './writer';
