import { FormatPlan, HitsPlan, QueryTerms, RankedHit, type Segments, WrittenHits } from '../engine/exports.js';
import type { EngineInstance } from '../engine/instance.js';
import { byteLength } from '../engine/utf8.js';
import type { RankedHits } from '../ranking/ranked.js';
import type { ByteWriter } from './byte-writer.js';

/** How the hits of a request are shown. */
export interface HitForm {
  /** The FormatPlan. */
  plan: Uint8Array;
  /**
   * Texts may be segmented differently than at indexing, so words that only begin like a query word count as matches if the
   * index has them.
   */
  checksIndex: boolean;
  /** Hits have scores. */
  score: boolean;
  /** Hits have details of scores. */
  details: boolean;
}

/** The hits of an answer, in order. */
export interface HitList {
  hits: RankedHits;
  /** What is highlighted; absent: nothing. */
  terms?: QueryTerms | undefined;
  /** Further members per hit, as JSON without braces; null: none. */
  members: readonly string[] | null;
  /** Documents to show instead of those of the hits. */
  documents?: readonly Uint8Array[];
  /** The vectors that details show; null: none. */
  vectors?: readonly (Float32Array | null)[] | undefined;
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
  const { count, records } = list.hits;
  if (count === 0) return;
  const { lat, lng } = list.origin ?? NOWHERE;
  const { plan: format, checksIndex, score: scores, details } = form;
  putAdditions(instance, list, records / WORD);
  const plan = HitsPlan.at(instance.alloc(HitsPlan.bytes + format.length));
  const formatAt = FormatPlan.at(plan + HitsPlan.bytes);
  const { bytes, view } = instance.views;
  bytes.set(format, formatAt);
  HitsPlan.write(view, plan, {
    lat,
    lng,
    format: formatAt,
    terms: list.terms ?? QueryTerms.at(0),
    segments,
    checksIndex,
    scores,
    details,
    hits: records,
    hitCount: count,
    batch: 0,
  });
  for (let done = 0; done < count; ) {
    if (done > 0) out.byte(COMMA);
    const { text, length, count: some } = instance.read(WrittenHits, instance.exports.writeHits(plan, out.length));
    out.slice(instance.bytes, text, text + length);
    done += some;
  }
}

/** Offsets of the fields of a record, in u32 units. */
const WORD = Uint32Array.BYTES_PER_ELEMENT;
const RECORD_WORDS = RankedHit.bytes / WORD;
const VECTOR = RankedHit.offset.vector / WORD;
/** Addresses, each followed by a length. */
const DOCUMENT = RankedHit.offset.document / WORD;
const MEMBERS = RankedHit.offset.members / WORD;

/** Writes what hits have besides their documents and ranks into their records. @param first index of the first in u32 units */
function putAdditions(instance: EngineInstance, { members, documents, vectors }: HitList, first: number): void {
  if (members) putMembers(instance, members, first + MEMBERS);
  for (const [hit, json] of documents?.entries() ?? []) {
    instance.words.set([instance.put(json), json.length], first + hit * RECORD_WORDS + DOCUMENT);
  }
  for (const [hit, vector] of vectors?.entries() ?? []) {
    if (!vector) continue;
    const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
    instance.words[first + hit * RECORD_WORDS + VECTOR] = instance.put(bytes);
  }
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
