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
  segmentVerify,
} from './view';
