/** An open segment: the addresses of its arrays. */

import { LZ_SLACK } from '../codec/lz';
import { PIECES_SLACK, SLOT_BYTES } from '../pieces/decode';
import { alloc } from '../runtime/arena';
import {
  BlocksHeader,
  DocumentWordsHeader,
  KeysHeader,
  SectionEntry,
  SegmentHeader,
  TermsHeader,
  WORDS_24_ATTRIBUTE,
  WORDS_24_BYTES,
  WORDS_24_SKIP,
  WORDS_24_WIDTH,
  WordCountsHeader,
} from './layout';
import {
  SECTION_BLOCKS,
  SECTION_COLUMN,
  SECTION_DOC_IDS,
  SECTION_DOC_WORDS,
  SECTION_DOC_WORDS_24,
  SECTION_DOCUMENT_SAMPLE,
  SECTION_DOCUMENT_STARTS,
  SECTION_DOCUMENTS,
  SECTION_FOLLOWERS,
  SECTION_GEO,
  SECTION_KEY_FILTER,
  SECTION_KEYS,
  SECTION_LETTERS,
  SECTION_LONG_RUNS,
  SECTION_PIECES,
  SECTION_POSTINGS,
  SECTION_PREDECESSORS,
  SECTION_SAMPLES,
  SECTION_SPLITS,
  SECTION_TERMS,
  SECTION_VALUE_DOCUMENTS,
  SECTION_VECTORS,
  SECTION_WORD_COLUMNS,
  SECTION_WORD_COUNTS,
} from './section-kinds';
import { isReadable } from './verify';

/** Addresses are absolute; the arrays are described in layout.ts. A pointer is 0 when the segment has no such section. */
@unmanaged
export class SegmentView {
  base: usize;
  docCount: u32;
  termCount: u32;
  /** u32[docCount] internal ids */
  docIds: usize;
  /** u32[docCount] local numbers by ascending key */
  keyOrder: usize;
  /** u32[docCount + 1] */
  keyStarts: usize;
  keyBytes: usize;
  /** u32[termCount + 1] */
  termStarts: usize;
  termBytes: usize;
  /** Samples */
  samples: usize;
  /** KeyFilter */
  keyFilter: usize;
  /** u32[termCount]: sets of letters, see automata/letters */
  termLetters: usize;
  /** u8[termCount] */
  termLcp: usize;
  /** u8[termCount] twice, see TermsHeader */
  termBranches: usize;
  /** u32[termCount] */
  termDocFreq: usize;
  /** u8[termCount] */
  termFlags: usize;
  /** u32[termCount], in units of 4 bytes from {@link postings} */
  termPostings: usize;
  postings: usize;
  /** u32[docCount + 1], in units of docWordsUnit */
  docWordStarts: usize;
  docWords: usize;
  /** encoding of the words of documents, see words-code: bits of an entry, the first entry values for attributes and for skipped positions */
  docWordsWidth: u32;
  docWordsAttribute: u32;
  docWordsSkip: u32;
  /** unit of docWordStarts, in bytes */
  docWordsUnit: u32;
  /** LongRunsHeader */
  longRuns: usize;
  /** AdjacentHeader: what follows frequent terms, and what precedes them */
  followers: usize;
  predecessors: usize;
  /** SplitsHeader */
  splits: usize;
  /** WordColumns */
  wordColumns: usize;
  /** u32[docCount + 1] */
  wordCountStarts: usize;
  wordCountEntries: usize;
  /** f64[2 * docCount] */
  geo: usize;
  blockCount: u32;
  /** u32[blockCount + 1] */
  blockFirstDoc: usize;
  /** u64[blockCount + 1] */
  blockStarts: usize;
  /** u32[blockCount] */
  blockRaw: usize;
  /** text that blocks refer to, see codec/lz */
  sample: usize;
  sampleLength: u32;
  /** table of pieces, its slots, and u32[docCount + 1] starts of the codes of documents: instead of blocks */
  pieces: usize;
  pieceSlots: u32;
  documentStarts: usize;
  /** in the file: start of SECTION_DOCUMENTS */
  documentsOffset: u64;
  /** SECTION_DOCUMENTS if it is in memory too, followed by LZ_SLACK bytes; 0: documents are read from the file */
  documents: usize;
  /** SectionEntry of the columns, by ascending field */
  columns: usize;
  columnCount: u32;
  /** SectionEntry of the documents by value of the columns, by ascending field */
  valueDocuments: usize;
  valueDocumentsCount: u32;
  /** SectionEntry of the first section of vectors */
  vectors: usize;
  /** end of the section table */
  sectionsEnd: usize;
}

/**
 * Opens the segment whose resident part is at `base` (a multiple of 16). The view is in scratch memory; 0 when magic number or
 * version are unknown.
 */
export function segmentOpen(base: usize): SegmentView {
  const header = changetype<SegmentHeader>(base);
  if (!isReadable(header)) return changetype<SegmentView>(0);
  const view = changetype<SegmentView>(alloc(offsetof<SegmentView>()));
  memory.fill(changetype<usize>(view), 0, offsetof<SegmentView>());
  view.base = base;
  view.docCount = header.docCount;
  view.termCount = header.termCount;
  let entry = base + offsetof<SegmentHeader>();
  for (let i: u32 = 0; i < header.sectionCount; i++) {
    openSection(view, entry);
    entry += offsetof<SectionEntry>();
  }
  view.sectionsEnd = entry;
  return view;
}

function openSection(view: SegmentView, entryPointer: usize): void {
  const entry = changetype<SectionEntry>(entryPointer);
  const at = view.base + <usize>entry.offset;
  switch (entry.kind) {
    case SECTION_DOC_IDS: {
      view.docIds = at;
      break;
    }
    case SECTION_KEYS: {
      const keys = changetype<KeysHeader>(at);
      view.keyOrder = at + keys.orderOffset;
      view.keyStarts = at + keys.startsOffset;
      view.keyBytes = at + keys.bytesOffset;
      break;
    }
    case SECTION_TERMS: {
      const terms = changetype<TermsHeader>(at);
      view.termStarts = at + terms.startsOffset;
      view.termBytes = at + terms.bytesOffset;
      view.termLcp = at + terms.lcpOffset;
      view.termBranches = terms.branchesOffset === 0 ? 0 : at + terms.branchesOffset;
      view.termDocFreq = at + terms.docFreqOffset;
      view.termFlags = at + terms.flagsOffset;
      view.termPostings = at + terms.postingsOffset;
      break;
    }
    case SECTION_KEY_FILTER: {
      view.keyFilter = at;
      break;
    }
    case SECTION_LETTERS: {
      view.termLetters = at;
      break;
    }
    case SECTION_SAMPLES: {
      view.samples = at;
      break;
    }
    case SECTION_POSTINGS: {
      view.postings = at;
      break;
    }
    case SECTION_DOC_WORDS: {
      const words = changetype<DocumentWordsHeader>(at);
      view.docWordsWidth = words.width;
      view.docWordsAttribute = words.firstAttribute;
      view.docWordsSkip = words.firstSkip;
      view.docWordsUnit = 1;
      openDocumentWords(view, at + offsetof<DocumentWordsHeader>());
      break;
    }
    case SECTION_DOC_WORDS_24: {
      view.docWordsWidth = WORDS_24_WIDTH;
      view.docWordsAttribute = WORDS_24_ATTRIBUTE;
      view.docWordsSkip = WORDS_24_SKIP;
      view.docWordsUnit = WORDS_24_BYTES;
      openDocumentWords(view, at);
      break;
    }
    case SECTION_LONG_RUNS: {
      view.longRuns = at;
      break;
    }
    case SECTION_FOLLOWERS: {
      view.followers = at;
      break;
    }
    case SECTION_PREDECESSORS: {
      view.predecessors = at;
      break;
    }
    case SECTION_SPLITS: {
      view.splits = at;
      break;
    }
    case SECTION_WORD_COLUMNS: {
      view.wordColumns = at;
      break;
    }
    case SECTION_WORD_COUNTS: {
      const counts = changetype<WordCountsHeader>(at);
      view.wordCountStarts = at + counts.startsOffset;
      view.wordCountEntries = at + counts.entriesOffset;
      break;
    }
    case SECTION_COLUMN: {
      if (view.columnCount === 0) view.columns = entryPointer;
      view.columnCount++;
      break;
    }
    case SECTION_VALUE_DOCUMENTS: {
      if (view.valueDocumentsCount === 0) view.valueDocuments = entryPointer;
      view.valueDocumentsCount++;
      break;
    }
    case SECTION_VECTORS: {
      if (view.vectors === 0) view.vectors = entryPointer;
      break;
    }
    case SECTION_GEO: {
      view.geo = at;
      break;
    }
    case SECTION_BLOCKS: {
      const blocks = changetype<BlocksHeader>(at);
      view.blockCount = blocks.blockCount;
      view.blockFirstDoc = at + blocks.firstDocOffset;
      view.blockStarts = at + blocks.startsOffset;
      view.blockRaw = at + blocks.rawOffset;
      break;
    }
    case SECTION_DOCUMENT_SAMPLE: {
      view.sample = at;
      view.sampleLength = <u32>entry.length - <u32>LZ_SLACK;
      break;
    }
    case SECTION_PIECES: {
      view.pieces = at;
      view.pieceSlots = <u32>(<usize>entry.length - PIECES_SLACK) / SLOT_BYTES;
      break;
    }
    case SECTION_DOCUMENT_STARTS: {
      view.documentStarts = at;
      break;
    }
    case SECTION_DOCUMENTS: {
      view.documentsOffset = entry.offset;
      break;
    }
  }
}

function openDocumentWords(view: SegmentView, starts: usize): void {
  view.docWordStarts = starts;
  view.docWords = starts + ((<usize>view.docCount + 1) << 2);
}
