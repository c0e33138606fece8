import {
  FormatPlan as FormatPlanLayout,
  HitOptions,
  HitRecord,
  HitsPlan,
  type HitsPlanFields,
  QueryTerms,
  type Segments,
  WrittenHits,
} from '../engine/exports.js';
import type { EngineInstance } from '../engine/instance.js';
import { RecordWriter } from '../engine/record-writer.js';
import { createTokenizer, tokenizerConfig } from '../engine/tokenizer.js';
import { byteLength } from '../engine/utf8.js';
import type { IndexSettings } from '../index-types.js';
import type { RankedHit } from '../ranking/ranked.js';
import type { ByteWriter } from './byte-writer.js';
import type { FormatPlan } from './format-plan.js';

/** How the hits of a request are shown. */
export interface HitForm {
  plan: FormatPlan;
  /** Whether hits have `_vectors`, as their documents have. */
  vectors: boolean;
  /** The inputs of `_formatted` and `_matchesPosition`; absent when hits have neither. */
  matching?: {
    settings: IndexSettings;
    /** 0: nothing is highlighted. */
    terms: QueryTerms;
    /**
     * Texts may be segmented differently than at indexing, so words that only begin like a query word count as matches if the
     * index has them.
     */
    recut: boolean;
    /** Whether hits have `_matchesPosition`. */
    positions: boolean;
    highlightPreTag: string;
    highlightPostTag: string;
    cropMarker: string;
  };
}

/** The hits of an answer, in order. */
export interface HitList {
  hits: readonly RankedHit[];
  /** Which scores hits have; absent: none. */
  scores?: { score: boolean; details: boolean };
  /** Further members per hit, as JSON without braces; null: none. */
  members: readonly string[] | null;
  /** Documents to show instead of those of the hits. */
  documents?: readonly Uint8Array[];
  /** Hits show how far they are from this point. */
  origin?: { lat: number; lng: number } | null;
}

const COMMA = 0x2c;
const NOWHERE = { lat: Number.NaN, lng: Number.NaN };

/**
 * Has the engine write hits as items of a JSON array, separated by commas.
 * @param segments the segments of the slots
 */
export function writeHits(out: ByteWriter, instance: EngineInstance, segments: Segments, form: HitForm, list: HitList): void {
  const count = list.hits.length;
  if (count === 0) return;
  instance.scoped(() => {
    const { matching } = form;
    const records = putRecords(instance, list);
    const { lat, lng } = list.origin ?? NOWHERE;
    const plan: HitsPlanFields = {
      lat,
      lng,
      format: FormatPlanLayout.at(instance.put(form.plan.bytes)),
      options: HitOptions.at(instance.put(matching || form.vectors ? encodeOptions(form) : NO_OPTIONS)),
      terms: matching?.terms ?? QueryTerms.at(0),
      // Texts are segmented as at indexing, but without stop words, which are highlighted too.
      tokenizer: matching ? createTokenizer(instance, { ...tokenizerConfig(matching.settings), stopWords: [] }) : 0,
      segments,
      asksIndex: matching?.recut === true,
      scores: list.scores?.score === true,
      details: list.scores?.details === true,
      hits: records,
      hitCount: count,
      before: 0,
    };
    for (let done = 0; done < count; ) {
      if (done > 0) out.byte(COMMA);
      done += instance.scoped(() => {
        const rest = { ...plan, hits: records + done * HitRecord.bytes, hitCount: count - done, before: out.length };
        const written = instance.exports.writeHits(instance.putStructures(HitsPlan, [rest]));
        const { text, length, count: some } = instance.read(WrittenHits, written);
        out.slice(instance.bytes, text, text + length);
        return some;
      });
    }
  });
}

/** Offsets of the fields of a HitRecord, in u32 units. */
const WORD = Uint32Array.BYTES_PER_ELEMENT;
const RECORD_WORDS = HitRecord.bytes / WORD;
const SLOT = HitRecord.offset.slot / WORD;
const STEPS = HitRecord.offset.steps / WORD;
/** Addresses, each followed by a length. */
const DOCUMENT = HitRecord.offset.document / WORD;
const MEMBERS = HitRecord.offset.members / WORD;

function putRecords(instance: EngineInstance, { hits, members, documents }: HitList): number {
  const records = instance.allocZeroed(hits.length * HitRecord.bytes);
  const first = records / WORD;
  const { words } = instance;
  for (let place = 0; place < hits.length; place++) {
    const { slot, steps } = hits[place] as RankedHit;
    words[first + place * RECORD_WORDS + SLOT] = slot;
    words[first + place * RECORD_WORDS + STEPS] = steps;
  }
  if (members) putMembers(instance, members, first + MEMBERS);
  for (const [hit, json] of documents?.entries() ?? []) {
    instance.words.set([instance.put(json), json.length], first + hit * RECORD_WORDS + DOCUMENT);
  }
  return records;
}

/** Writes texts into scratch memory, consecutive equal ones once; `at`: index in u32 units for the first address and length. */
function putMembers(instance: EngineInstance, members: readonly string[], at: number): void {
  const all = members.filter((text, hit) => text !== members[hit - 1]).join('');
  const { pointer, length } = instance.putText(all);
  const { words } = instance;
  const isAscii = length === all.length;
  let start = pointer;
  let bytes = 0;
  for (let hit = 0; hit < members.length; hit++) {
    const text = members[hit] as string;
    if (text !== members[hit - 1]) {
      start += bytes;
      bytes = isAscii ? text.length : byteLength(text);
    }
    words[at + hit * RECORD_WORDS] = start;
    words[at + hit * RECORD_WORDS + 1] = bytes;
  }
}

/** Options with retrieved attributes only. */
const NO_OPTIONS = new Uint8Array(HitOptions.bytes);

function encodeOptions({ vectors, matching }: HitForm): Uint8Array {
  const options = new RecordWriter(HitOptions.bytes);
  const preTag = options.text(insideOfString(matching?.highlightPreTag ?? ''));
  const postTag = options.text(insideOfString(matching?.highlightPostTag ?? ''));
  const marker = options.text(insideOfString(matching?.cropMarker ?? ''));
  options.put(HitOptions, {
    vectors: Number(vectors),
    positions: Number(matching?.positions ?? false),
    preTag: preTag.at,
    preTagLength: preTag.length,
    postTag: postTag.at,
    postTagLength: postTag.length,
    marker: marker.at,
    markerLength: marker.length,
  });
  return options.finish();
}

/** A text escaped for the inside of a JSON string. */
function insideOfString(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
