import { addMember, membersOf } from '../engine/bitmaps.js';
import { SegmentBuilder } from '../engine/builder.js';
import { builderConfig } from '../engine/builder-config.js';
import { SECTION_VALUE_DOCUMENTS, SectionEntry, SegmentHeader } from '../engine/exports.js';
import { privateInstance } from '../engine/instance.js';
import type { IndexReader } from '../engine/segments.js';
import type { IndexSettings } from '../index-types.js';
import { LocalIndex, type LocalSegment } from '../local-index.js';
import { plainModule } from './engine.js';
import { type Document, randomDocument } from './naive-columns.js';
import type { SeededRandom } from './random.js';

const module = plainModule();
const builders = privateInstance(module);
const encoder = new TextEncoder();
/** A kind that no segment has. */
const UNKNOWN_SECTION = 0xffff;

/** An index and the documents that are alive in it, each with its slot. */
export interface Case {
  index: LocalIndex;
  alive: { slot: number; document: Document }[];
}

/** Cuts documents into segments (internal ids interleaved, some documents deleted) in one or two memories. */
export function buildCase(random: SeededRandom, settings: IndexSettings, documents: Document[]): Case {
  const count = 1 + random.int(3);
  const members: { internalId: number; document: Document }[][] = Array.from({ length: count }, () => []);
  documents.forEach((document, internalId) => {
    members[random.int(count)]?.push({ internalId, document });
  });
  const fields: string[] = [];
  const segments: LocalSegment[] = [];
  const alive: Case['alive'] = [];
  let base = 0;
  members.forEach((own, position) => {
    if (own.length === 0) return;
    const builder = new SegmentBuilder(builders, builderConfig(settings, fields, 'id'));
    const tombstones = new Uint8Array(Math.ceil(own.length / 8));
    own.forEach(({ internalId, document }, local) => {
      builder.add(internalId, encoder.encode(String(document.id)), encoder.encode(JSON.stringify(document)));
      if (random.int(6) === 0) tombstones[local >> 3] = (tombstones[local >> 3] as number) | (1 << (local & 7));
      else alive.push({ slot: base + local, document });
    });
    fields.push(...builder.fields.slice(fields.length));
    const { pieces } = builder.finishInMemory();
    const file = Buffer.concat(pieces);
    if (random.int(4) === 0) forgetValueDocuments(file);
    segments.push({ file, memory: position % 2, tombstones });
    base += Math.ceil(own.length / 128) * 128;
  });
  return { index: new LocalIndex(module, { uid: 'case', primaryKey: 'id', settings, fields, segments }), alive };
}

/** Makes a segment like those before lists of the documents of values existed: readers skip sections of unknown kinds. */
function forgetValueDocuments(file: Uint8Array): void {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const { sectionCount } = SegmentHeader.read(view, 0);
  for (let i = 0; i < sectionCount; i++) {
    const at = SegmentHeader.bytes + i * SectionEntry.bytes;
    const entry = SectionEntry.read(view, at);
    if (entry.kind === SECTION_VALUE_DOCUMENTS) SectionEntry.write(view, at, { ...entry, kind: UNKNOWN_SECTION });
  }
}

export function randomCase(random: SeededRandom, settings: IndexSettings): Case {
  const size = 1 + random.int(random.pick([3, 40, 300]));
  return buildCase(
    random,
    settings,
    Array.from({ length: size }, (_, id) => randomDocument(random, id)),
  );
}

/** The members of a bitmap over slots. */
export function slotsOf(reader: IndexReader, bitmap: number): number[] {
  const { instance } = reader;
  return [...membersOf(instance, bitmap, reader.bitmapBytes, reader.slotCount)];
}

export function bitmapOf(reader: IndexReader, slots: Iterable<number>): number {
  const bitmap = reader.newBitmap();
  for (const slot of slots) addMember(reader.instance, bitmap, slot);
  return bitmap;
}
