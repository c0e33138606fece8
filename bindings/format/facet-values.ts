/** Values of a facet among candidates: the engine counts them, merges those of all segments, orders and cuts them. */
import {
  FacetDemand as EngineDemand,
  FACET_BY_VALUE,
  FacetBlock,
  FacetNumber,
  FacetSearch,
  FacetText,
  FacetValues,
} from '../engine/exports.js';
import type { EngineInstance } from '../engine/instance.js';
import { bytesOfDocs, type IndexReader, type OpenSegment } from '../engine/segments.js';
import { putLocales } from '../engine/tokenizer.js';

/** How often a number occurs. */
export interface NumberCount {
  value: number;
  count: number;
}

/** How often a text occurs, as it is spelled in the document with the lowest internal id that lends its spelling. */
export interface TextCount {
  value: string;
  count: number;
}

export interface FacetCounts {
  numbers: NumberCount[];
  texts: TextCount[];
  /** The least and the greatest of all numbers; null when there are none. */
  range: { min: number; max: number } | null;
  /** The time was over before all was counted: nothing of it is of use. */
  isCut: boolean;
}

/** What a facet search looks for: see the engine's FacetSearch. */
export interface FacetWord {
  /** UTF-8 of the folded word; empty: every text. */
  query: Uint8Array;
  /** The same as code points. */
  letters: readonly number[];
  typos: number;
  /** Texts must equal the word. */
  whole: boolean;
  locales: readonly string[];
}

export interface FacetDemand {
  fieldId: number;
  /** Bitmap over slots. */
  candidates: number;
  /** The same of the documents that lend their spelling: the candidates, or a superset of them. */
  spelling: number;
  /** FACET_BY_VALUE, FACET_BY_COUNT or FACET_BY_FOLDED. */
  order: number;
  numberLimit: number;
  textLimit: number;
  /** Texts that are looked for; null: all values. */
  word: FacetWord | null;
  /** When counting has to end, by the clock of the engine. */
  deadline: number;
}

const ALL = 0xffffffff;

/** The values of a field. */
export function facetCounts(reader: IndexReader, demand: FacetDemand): FacetCounts {
  const { instance } = reader;
  const { word, order, numberLimit, textLimit } = demand;
  return instance.scoped(() => {
    const search = putWord(instance, word);
    const part = (segment: OpenSegment) => (bitmap: number) => bitmap + segment.base / 8;
    const lists = reader.segments.map((segment) =>
      segment.instance === instance ? valuesOf(segment, demand, part(segment), search) : copyOf(reader, segment, demand),
    );
    const merged = instance.exports.facetMerge(instance.putWords(lists), lists.length, order, numberLimit, textLimit);
    return readCounts(instance, merged);
  });
}

/** The values of one segment; `place` finds what belongs to it of a bitmap over slots, in its memory. */
function valuesOf(
  { instance, view }: OpenSegment,
  { fieldId, candidates, spelling, order, numberLimit, textLimit, deadline }: FacetDemand,
  place: (bitmap: number) => number,
  search: FacetSearch,
): FacetValues {
  const counted = place(candidates);
  const isOne = spelling === candidates;
  const isOrdered = order === FACET_BY_VALUE;
  const demand = {
    deadline,
    field: fieldId,
    candidates: counted,
    spelling: isOne ? counted : place(spelling),
    search,
    // in another order those after the first ones may come to be among them
    numberLimit: isOrdered ? numberLimit : ALL,
    // and so may texts that no candidate of this segment has
    textLimit: isOrdered && isOne ? textLimit : ALL,
  };
  return instance.exports.facetValuesOf(view, instance.putStructures(EngineDemand, [demand]));
}

/** The same of a segment in another memory, copied into that of the reader. */
function copyOf(reader: IndexReader, segment: OpenSegment, demand: FacetDemand): FacetValues {
  const { instance } = segment;
  const own = reader.instance;
  return instance.scoped(() => {
    const bytes = bytesOfDocs(segment.ref.docCount);
    const copied = (bitmap: number) => {
      const start = bitmap + segment.base / 8;
      return instance.put(own.bytes.subarray(start, start + bytes));
    };
    const values = valuesOf(segment, demand, copied, putWord(instance, demand.word));
    const block = instance.read(FacetBlock, instance.exports.facetPack(values));
    return own.exports.facetUnpack(own.put(instance.bytes.subarray(block.at, block.at + block.bytes)));
  });
}

function putWord(instance: EngineInstance, word: FacetWord | null): FacetSearch {
  if (word === null) return FacetSearch.at(0);
  const { query, letters, typos, whole, locales } = word;
  return instance.putStructures(FacetSearch, [
    {
      query: instance.put(query),
      length: query.length,
      letters: instance.putWords(letters),
      letterCount: letters.length,
      typos,
      whole,
      locales: putLocales(instance, locales),
    },
  ]);
}

function readCounts(instance: EngineInstance, merged: FacetValues): FacetCounts {
  const { least, greatest, numbers, numberCount, texts, textCount, isCut } = instance.read(FacetValues, merged);
  return {
    numbers: Array.from({ length: numberCount }, (_, index) => {
      const { value, documents } = instance.read(FacetNumber, numbers + index * FacetNumber.bytes);
      return { value, count: documents };
    }),
    texts: Array.from({ length: textCount }, (_, index) => {
      const { original, originalLength, documents } = instance.read(FacetText, texts + index * FacetText.bytes);
      return { value: instance.text(original, originalLength), count: documents };
    }),
    range: Number.isNaN(least) ? null : { min: least, max: greatest },
    isCut,
  };
}
