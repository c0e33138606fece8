/** Selects documents by their `_geojson`. */
import { addMember, membersOf } from '../engine/bitmaps.js';
import { copyDocument } from '../engine/documents.js';
import { ColumnHeader } from '../engine/exports.js';
import type { EngineInstance } from '../engine/instance.js';
import { bytesOfDocs, type IndexReader, type OpenSegment } from '../engine/segments.js';
import { own } from '../own.js';
import type { Area } from './area.js';
import { PreparedArea } from './meeting.js';
import { Shapes } from './shapes.js';

const FIELD = '_geojson';
/** Default size in bytes of the cache of shapes of an instance. */
const ROOM = 32 << 20;
/** Shapes between two checks of the deadline. */
const LOOK_EVERY = 64;

/** The shapes of one segment. */
interface SegmentShapes {
  /** Local numbers ascending, including deleted documents, because segments outlive deletions. */
  locals: Uint32Array;
  shapes: Shapes;
  /** Whether positions are kept, not only bounding boxes. */
  whole: boolean;
}

/**
 * A cache of shapes by segment, parsed when a filter first needs them. When it is full the least recently used segment is
 * evicted. Of a segment larger than the cache only bounding boxes are kept, and shapes are parsed again when these do not decide.
 */
class KeptShapes {
  readonly #segments = new Map<number, SegmentShapes>();
  #bytes = 0;

  of(segment: OpenSegment, room: number, make: () => SegmentShapes): SegmentShapes {
    const { id } = segment.ref;
    const known = this.#segments.get(id);
    if (known) {
      // Moves the entry to the end: the map is in the order of last use.
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
 * Adds the documents whose shape intersects the area, or contains it, to a bitmap over slots. False: the time was up before all
 * were tested.
 * @param deadline on the engine's clock
 * @param room size in bytes of the cache of shapes of the reader's instance
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
  const { instance, view, ref } = segment;
  const column = field < 0 ? 0 : instance.exports.columnOf(view, field);
  if (column === 0) return new Uint32Array(0);
  const exists = column + instance.read(ColumnHeader, column).existsOffset;
  const bytes = bytesOfDocs(ref.docCount);
  return membersOf(instance, exists, bytes, instance.exports.bitmapCount(exists, bytes));
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
