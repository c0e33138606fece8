/** Documents by their `_geojson`. */
import { addMember, membersOf } from '../engine/bitmaps.js';
import { columnOf } from '../engine/columns.js';
import { copyDocument } from '../engine/documents.js';
import type { EngineInstance } from '../engine/instance.js';
import { bytesOfDocs, type IndexReader, type OpenSegment } from '../engine/segments.js';
import { own } from '../own.js';
import type { Area } from './area.js';
import { PreparedArea } from './meeting.js';
import { Shapes } from './shapes.js';

const FIELD = '_geojson';
/** Bytes of shapes that an instance keeps. */
const ROOM = 32 << 20;
/** Shapes from one look at the clock to the next. */
const LOOK_EVERY = 64;

/** The documents of a segment that have the field, and their shapes. */
interface SegmentShapes {
  /** Local numbers, ascending; those of deleted documents too: segments outlive deletions. */
  locals: Uint32Array;
  shapes: Shapes;
  /** The positions are there, not just the boxes. */
  whole: boolean;
}

/**
 * Shapes by segment, parsed at the first filter that asks for them. When they outgrow their room those of the segment that was used
 * longest ago go; a segment too large for the room keeps its boxes only, and shapes are read again where these do not decide.
 */
class KeptShapes {
  readonly #segments = new Map<number, SegmentShapes>();
  #bytes = 0;

  of(segment: OpenSegment, room: number, make: () => SegmentShapes): SegmentShapes {
    const { id } = segment.ref;
    const known = this.#segments.get(id);
    if (known) {
      // the latest used stands last
      this.#segments.delete(id);
      this.#segments.set(id, known);
      return known;
    }
    const made = make();
    this.#segments.set(id, made);
    this.#bytes += bytesOf(made);
    for (const [oldest, shapes] of this.#segments) {
      if (this.#bytes <= room || oldest === id) break;
      this.#segments.delete(oldest);
      this.#bytes -= bytesOf(shapes);
    }
    return made;
  }
}

const bytesOf = ({ locals, shapes }: SegmentShapes) => locals.byteLength + shapes.bytes;

const kept = new WeakMap<EngineInstance, KeptShapes>();

function keptShapes(instance: EngineInstance): KeptShapes {
  let shapes = kept.get(instance);
  if (!shapes) {
    shapes = new KeptShapes();
    kept.set(instance, shapes);
  }
  return shapes;
}

/**
 * Adds the documents with a shape of which any part lies in the area, or which holds the area, to a bitmap over slots. False: the time
 * was over before all were looked at.
 * @param deadline by the clock of the engine
 * @param room bytes of shapes that the reader's instance may keep for the filters to come
 */
export function selectShapes(
  reader: IndexReader,
  area: Area,
  bitmap: number,
  deadline = Number.POSITIVE_INFINITY,
  room = ROOM,
): boolean {
  const { instance } = reader;
  const field = reader.fieldId(FIELD);
  const prepared = new PreparedArea(area);
  for (const segment of reader.segments) {
    const own = keptShapes(instance).of(segment, room, () => shapesOf(segment, field, room));
    const { locals, shapes, whole } = own;
    const { boxes } = shapes;
    for (let shape = 0; shape < locals.length; shape++) {
      if (shape % LOOK_EVERY === LOOK_EVERY - 1 && performance.now() > deadline) return false;
      if (!prepared.mayMeet(boxes, shape)) continue;
      const local = locals[shape] as number;
      const met = whole ? prepared.meets(shapes, shape) : prepared.meets(shapeOf(segment, local), 0);
      if (met) addMember(instance, bitmap, segment.base + local);
    }
  }
  return true;
}

function shapesOf(segment: OpenSegment, field: number, room: number): SegmentShapes {
  const locals = holders(segment, field);
  const shapes = new Shapes();
  let whole = true;
  for (const local of locals) {
    shapes.add(storedValue(segment, local));
    if (!whole || shapes.bytes > room) {
      shapes.dropPositions();
      whole = false;
    }
  }
  return { locals, shapes, whole };
}

/** Local numbers of the documents of a segment that have the field. */
function holders(segment: OpenSegment, field: number): Uint32Array {
  const column = columnOf(segment, field);
  if (!column) return new Uint32Array(0);
  const { instance } = segment;
  const bytes = bytesOfDocs(segment.ref.docCount);
  return membersOf(instance, column.exists, bytes, instance.exports.bitmapCount(column.exists, bytes));
}

const decoder = new TextDecoder();

function storedValue(segment: OpenSegment, local: number): unknown {
  const document: object = JSON.parse(decoder.decode(copyDocument(segment, local)));
  return own(document, FIELD) ?? null;
}

function shapeOf(segment: OpenSegment, local: number): Shapes {
  const shape = new Shapes();
  shape.add(storedValue(segment, local));
  return shape;
}
