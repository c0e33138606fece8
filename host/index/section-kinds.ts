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
  SECTION_LONG_RUNS_13,
  SECTION_PIECES,
  SECTION_POSTINGS,
  SECTION_PREDECESSORS,
  SECTION_SAMPLES,
  SECTION_SPLITS,
  SECTION_TERMS,
  SECTION_VALUE_DOCUMENTS,
  SECTION_VECTOR_VALUES,
  SECTION_VECTORS,
  SECTION_WORD_COLUMNS,
  SECTION_WORD_COUNTS,
} from '../../bindings/engine/exports.js';
import type { Part } from './settings/settings.js';

/** A kind of section in segment files. */
export interface SectionKind {
  /** Name in reports of damage. */
  name: string;
  /** The part of a segment that it belongs to. */
  part: Part | 'documents';
  /** Whether a server loads it into memory. */
  resident: boolean;
}

const resident = (part: SectionKind['part'], name: string): SectionKind => ({ name, part, resident: true });
const inFileOnly = (part: SectionKind['part'], name: string): SectionKind => ({ name, part, resident: false });

/** Every kind of section, in file order. Sections contain no offsets into the file, so they can be copied. */
export const SECTIONS: ReadonlyMap<number, SectionKind> = new Map([
  [SECTION_DOC_IDS, resident('documents', 'internal ids')],
  [SECTION_KEYS, resident('documents', 'keys of documents')],
  [SECTION_POSTINGS, resident('words', 'postings')],
  [SECTION_TERMS, resident('words', 'dictionary')],
  [SECTION_SAMPLES, resident('words', 'samples of the dictionary')],
  [SECTION_KEY_FILTER, resident('words', 'filter of the dictionary')],
  [SECTION_LETTERS, resident('words', 'letters of the dictionary')],
  [SECTION_DOC_WORDS_24, resident('words', 'words of documents')],
  [SECTION_DOC_WORDS, resident('words', 'words of documents')],
  [SECTION_FOLLOWERS, resident('words', 'words that follow others')],
  [SECTION_PREDECESSORS, resident('words', 'words that precede others')],
  [SECTION_SPLITS, resident('words', 'splits of words')],
  [SECTION_LONG_RUNS, resident('words', 'long runs of terms')],
  [SECTION_LONG_RUNS_13, resident('words', 'long runs of terms')],
  [SECTION_WORD_COLUMNS, resident('words', 'columns of counts of words')],
  [SECTION_WORD_COUNTS, resident('words', 'counts of words')],
  [SECTION_COLUMN, resident('columns', 'column')],
  [SECTION_VALUE_DOCUMENTS, resident('columns', 'documents of values')],
  [SECTION_GEO, resident('columns', 'points')],
  [SECTION_BLOCKS, resident('documents', 'places of documents')],
  [SECTION_DOCUMENT_SAMPLE, resident('documents', 'sample of documents')],
  [SECTION_PIECES, resident('documents', 'pieces of documents')],
  [SECTION_DOCUMENT_STARTS, resident('documents', 'starts of documents')],
  [SECTION_VECTORS, resident('vectors', 'states of vectors')],
  [SECTION_DOCUMENTS, inFileOnly('documents', 'documents')],
  [SECTION_VECTOR_VALUES, inFileOnly('vectors', 'vectors')],
]);
