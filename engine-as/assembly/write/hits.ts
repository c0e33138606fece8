/**
 * Writes documents as answers show them: what is retrieved, `_vectors`, `_formatted`, `_matchesPosition`, and the members that the host
 * adds. What is selected is copied from the stored JSON, so that numbers keep their text (`10.0`, integers beyond 2^53).
 */
import { jsonMember, jsonMemberLength } from '../json/member';
import { CLOSE_OBJECT, COMMA, OPEN_OBJECT } from '../json/signs';
import { allocZeroed } from '../runtime/arena';
import { FormatWalk, formatWalkCreate, walkDocument } from './formatted';
import { textFormatterCreate } from './formatted-text';
import { KnownWords } from './known-words';
import { matchPositionsCreate, writePositions } from './match-positions';
import { HitOptions } from './options';
import { Output, outputCreate } from './output';
import { PathTree, pathTreeCreate } from './path-tree';
import { FormatPlan } from './plan';
import { writeProjection, writeWhole } from './projection';
import { MatchTerms } from './terms';

/** Answers of 20 documents of 1 KB each fit. */
const FIRST_OUTPUT_BYTES: usize = 32768;

/** A hit to be written. */
@unmanaged
export class HitRecord {
  /** Address and bytes of the stored JSON. */
  document: u32;
  documentLength: u32;
  /** Address and bytes of the members that the host adds: JSON without braces. */
  members: u32;
  membersLength: u32;
}

@unmanaged
export class HitWriter {
  plan: FormatPlan;
  options: HitOptions;
  tree: PathTree;
  /** null: neither `_formatted` nor positions are asked for. */
  walk: FormatWalk | null;
  out: Output;
}

/**
 * Makes a writer in scratch.
 * @param terms what texts are searched for; not read where neither `_formatted` nor positions are asked for
 * @param tokenizer what texts are cut by, as for streamBegin
 */
export function hitWriterCreate(plan: FormatPlan, options: HitOptions, terms: MatchTerms, tokenizer: usize): HitWriter {
  const writer = changetype<HitWriter>(allocZeroed(offsetof<HitWriter>()));
  writer.plan = plan;
  writer.options = options;
  writer.tree = pathTreeCreate(writer.plan);
  writer.out = outputCreate(FIRST_OUTPUT_BYTES);
  if (writer.plan.formats || writer.options.positions) {
    const positions = writer.options.positions ? matchPositionsCreate(writer.tree) : null;
    writer.walk = formatWalkCreate(writer.tree, textFormatterCreate(writer.plan, writer.options, terms, tokenizer), positions);
  }
  return writer;
}

/**
 * Writes hits, with commas between them, over what was written before, and answers the bytes: they are at {@link hitsWritten} until the
 * next call.
 * @param hits address of HitRecord[count]
 */
export function hitsWrite(writer: HitWriter, hits: usize, count: u32): u32 {
  const out = writer.out;
  out.length = 0;
  for (let i: u32 = 0; i < count; i++) {
    if (i > 0) out.byte(COMMA);
    writeHit(writer, changetype<HitRecord>(hits + <usize>i * offsetof<HitRecord>()));
  }
  return <u32>out.length;
}

export function hitsWritten(writer: HitWriter): usize {
  return writer.out.data;
}

function writeHit(writer: HitWriter, hit: HitRecord): void {
  const out = writer.out;
  const json = <usize>hit.document;
  const end = json + hit.documentLength;
  out.byte(OPEN_OBJECT);
  const start = out.length;
  if (writer.plan.whole) writeWhole(json, end, out);
  else writeProjection(json, end, writer.tree, out);
  if (writer.options.vectors) {
    separate(out, start);
    out.ascii('"_vectors":');
    writeVectors(json, hit.documentLength, out);
  }
  const walk = writer.walk;
  if (walk !== null) {
    if (writer.plan.formats) {
      separate(out, start);
      out.ascii('"_formatted":');
    }
    walkDocument(walk, json, end, writer.plan.formats ? out : null);
    const positions = walk.positions;
    if (positions !== null) {
      separate(out, start);
      out.ascii('"_matchesPosition":');
      writePositions(positions, out);
    }
  }
  if (hit.membersLength > 0) {
    separate(out, start);
    out.copy(hit.members, hit.membersLength);
  }
  out.byte(CLOSE_OBJECT);
}

/** A comma, unless the object that began at `start` is empty. */
function separate(out: Output, start: usize): void {
  if (out.length > start) out.byte(COMMA);
}

/** The vectors that are stored in a document, `{}` without any. */
function writeVectors(json: usize, length: u32, out: Output): void {
  const value = jsonMember(json, length, VECTORS, VECTORS_LENGTH);
  if (value !== 0 && load<u8>(value) === OPEN_OBJECT) out.copy(value, jsonMemberLength());
  else out.ascii('{}');
}

/** `_vectors` */
const VECTORS: usize = memory.data<u8>([0x5f, 0x76, 0x65, 0x63, 0x74, 0x6f, 0x72, 0x73]);
const VECTORS_LENGTH: u32 = 8;

/** Address of a word that the host is asked about (see KnownWords), 0 when there is none left. */
export function askedWord(writer: HitWriter): usize {
  const word = knownWordsOf(writer).asked;
  return word === null ? 0 : word.text;
}

export function askedWordLength(writer: HitWriter): u32 {
  const word = knownWordsOf(writer).asked;
  return word === null ? 0 : word.length;
}

/** Says whether the index knows {@link askedWord}, and goes on to the next one. */
export function answerAskedWord(writer: HitWriter, isKnown: bool): void {
  knownWordsOf(writer).answer(isKnown);
}

function knownWordsOf(writer: HitWriter): KnownWords {
  return changetype<FormatWalk>(changetype<usize>(writer.walk)).formatter.matcher.known;
}
