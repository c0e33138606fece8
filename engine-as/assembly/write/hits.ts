/**
 * Writes documents as answers show them: the retrieved members, `_vectors`, `_formatted`, `_matchesPosition`, and members added
 * by the host. Selected values are copied from the stored JSON, so that numbers keep their text (`10.0`, integers beyond 2^53).
 */
import { distance } from '../geo/distance';
import { POINT_BYTES, pointIn } from '../geo/points';
import { jsonMember, jsonMemberLength } from '../json/member';
import { CLOSE_OBJECT, COMMA, OPEN_OBJECT } from '../json/signs';
import { QueryTerms, RankedHit, Steps } from '../plan/plan';
import { Segments } from '../plan/segments';
import { documentIn } from '../remote/documents';
import { alloc, arenaMark, arenaReset } from '../runtime/arena';
import { tokenizerCreate } from '../text/tokenizer';
import { FormatWalk, formatWalkCreate, walkDocument } from './formatted';
import { textFormatterCreate } from './formatted-text';
import { knownWordsCreate } from './known-words';
import { matchPositionsCreate, writePositions } from './match-positions';
import { Output, outputCreate } from './output';
import { PathTree, pathTreeCreate } from './path-tree';
import { FormatPlan } from './plan';
import { writeProjection, writeWhole } from './projection';
import { writeScore, writeScoreDetails } from './scores';
import { termMatcherCreate } from './term-matcher';
import { matchTermsOf } from './terms';

/** Initial bytes of the output: enough for 20 documents of 1 KB. */
const FIRST_OUTPUT_BYTES: usize = 32768;
/** No hit is started after this many bytes of documents and hits: the host takes what is written, and the memory is reused. */
const BATCH_BYTES: usize = 1 << 20;

/** What is to be written. */
@unmanaged
export class HitsPlan {
  /** Hits show how far they are from this point; NaN: they do not. */
  lat: f64;
  lng: f64;
  format: FormatPlan;
  /** What texts are searched for; null: nothing. */
  terms: QueryTerms | null;
  segments: Segments;
  /** Prefix matches must be words of the index, because texts may be segmented differently than at indexing. */
  checksIndex: bool;
  /** Hits have `_rankingScore`, `_rankingScoreDetails`. */
  scores: bool;
  details: bool;
  /** RankedHit[]: those that are not yet written. */
  hits: usize;
  hitCount: u32;
  /** Where the memory for the batch written last begins; 0: none was written. */
  batch: usize;
}

/** Written hits, separated by commas. */
@unmanaged
export class WrittenHits {
  text: usize;
  length: u32;
  /** Number of hits written, at least one. */
  count: u32;
}

@unmanaged
class HitWriter {
  plan: HitsPlan;
  tree: PathTree;
  /** null: neither `_formatted` nor positions are asked for. */
  walk: FormatWalk | null;
  out: Output;
  /** Hits that tie have equal scores: the text of the last ones, a part of the output. Their vectors may differ. */
  steps: Steps | null;
  vector: usize;
  scoresStart: usize;
  scoresEnd: usize;
}

/**
 * Writes hits into scratch memory, up to the size of a batch, and removes them from the plan. The memory of the batch before is reused.
 * @param before bytes of the answer before these hits: their text begins at an address with the same alignment, because memory that
 * threads share is copied by words only between addresses of the same alignment, otherwise byte by byte
 */
export function writeHits(plan: HitsPlan, before: u32): WrittenHits {
  if (plan.batch === 0) plan.batch = arenaMark();
  else arenaReset(plan.batch);
  const writer = writerCreate(plan, before);
  const out = writer.out;
  let read: usize = 0;
  let count: u32 = 0;
  while (count < plan.hitCount && read + out.length < BATCH_BYTES) {
    if (count > 0) out.byte(COMMA);
    const hit = changetype<RankedHit>(plan.hits + <usize>count * offsetof<RankedHit>());
    if (hit.document !== 0) {
      writeHit(writer, hit.document, hit.documentLength, hit);
    } else {
      const document = documentIn(plan.segments, hit.slot);
      writeHit(writer, document.json, document.length, hit);
      read += document.length;
    }
    count++;
  }
  const written = changetype<WrittenHits>(alloc(offsetof<WrittenHits>()));
  written.text = out.data;
  written.length = <u32>out.length;
  written.count = count;
  plan.hits += <usize>count * offsetof<RankedHit>();
  plan.hitCount -= count;
  return written;
}

function writerCreate(plan: HitsPlan, before: u32): HitWriter {
  const writer = changetype<HitWriter>(alloc(offsetof<HitWriter>()));
  writer.plan = plan;
  writer.tree = pathTreeCreate(plan.format);
  writer.out = outputCreate(FIRST_OUTPUT_BYTES, before);
  writer.walk = null;
  writer.steps = null;
  writer.vector = 0;
  const format = plan.format;
  if (format.formats || format.positions) {
    const positions = format.positions ? matchPositionsCreate(writer.tree) : null;
    const known = plan.checksIndex ? knownWordsCreate(plan.segments) : null;
    const matcher = termMatcherCreate(matchTermsOf(plan.terms), known);
    const length = format.tokenizerLength;
    const tokenizer: usize = length === 0 ? 0 : tokenizerCreate(format.address(format.tokenizer), length);
    const formatter = textFormatterCreate(format, matcher, tokenizer);
    writer.walk = formatWalkCreate(writer.tree, formatter, positions);
  }
  return writer;
}

function writeHit(writer: HitWriter, json: usize, length: u32, hit: RankedHit): void {
  const format = writer.plan.format;
  const out = writer.out;
  const end = json + length;
  out.byte(OPEN_OBJECT);
  const start = out.length;
  if (format.whole) writeWhole(json, end, out);
  else writeProjection(json, end, writer.tree, out);
  if (format.vectors) {
    separate(out, start);
    out.ascii('"_vectors":');
    writeVectors(json, length, out);
  }
  const walk = writer.walk;
  if (walk !== null) {
    if (format.formats) {
      separate(out, start);
      out.ascii('"_formatted":');
    }
    walkDocument(walk, json, end, format.formats ? out : null);
    const positions = walk.positions;
    if (positions !== null) {
      separate(out, start);
      out.ascii('"_matchesPosition":');
      writePositions(positions, out);
    }
  }
  if (!isNaN(writer.plan.lat)) writeDistance(writer, hit.slot, start);
  if (hit.membersLength > 0) {
    separate(out, start);
    out.copy(hit.members, hit.membersLength);
  }
  const steps = hit.steps;
  if (steps !== null) writeScores(writer, steps, hit.vector, start);
  out.byte(CLOSE_OBJECT);
}

function writeScores(writer: HitWriter, steps: Steps, vector: usize, start: usize): void {
  const plan = writer.plan;
  const out = writer.out;
  if (!plan.scores && !plan.details) return;
  separate(out, start);
  if (writer.steps === steps && writer.vector === vector) {
    const length = writer.scoresEnd - writer.scoresStart;
    const to = out.room(length);
    memory.copy(to, out.data + writer.scoresStart, length);
    out.length += length;
    return;
  }
  writer.steps = steps;
  writer.vector = vector;
  writer.scoresStart = out.length;
  if (plan.scores) writeScore(steps, out);
  if (plan.scores && plan.details) out.byte(COMMA);
  if (plan.details) writeScoreDetails(steps, vector, out);
  writer.scoresEnd = out.length;
}

/** Writes the distance in whole metres, as `geoDistance` and under its older name; nothing for a document without a point. */
function writeDistance(writer: HitWriter, slot: u32, start: usize): void {
  const plan = writer.plan;
  const out = writer.out;
  const mark = arenaMark();
  const point = alloc(POINT_BYTES);
  pointIn(plan.segments, slot, point);
  const lat = load<f64>(point);
  const metres = isNaN(lat) ? lat : distance(plan.lat, plan.lng, lat, load<f64>(point, 8));
  arenaReset(mark);
  if (isNaN(metres)) return;
  separate(out, start);
  out.ascii('"geoDistance":');
  out.number(<u32>Math.round(metres));
  out.ascii(',"_geoDistance":');
  out.number(<u32>Math.round(metres));
}

/** Writes a comma, unless the object that began at `start` is empty. */
function separate(out: Output, start: usize): void {
  if (out.length > start) out.byte(COMMA);
}

/** The vectors stored in a document, `{}` without any. */
function writeVectors(json: usize, length: u32, out: Output): void {
  const value = jsonMember(json, length, '_vectors');
  if (value !== 0 && load<u8>(value) === OPEN_OBJECT) out.copy(value, jsonMemberLength());
  else out.ascii('{}');
}
