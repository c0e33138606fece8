export {
  builderAdd,
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
