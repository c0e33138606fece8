/** Builds the search structures for the vectors of one embedder: the quantised forms and, if there are many vectors, a graph. */
import { alloc, allocZeroed, arenaMark, arenaReset } from '../runtime/arena';
import { Buffer, bufferCreate, bufferPush32 } from '../runtime/buffer';
import { pagesRead } from '../runtime/pages';
import { blockBytesOf, blockCountOf } from './codes';
import { Collection } from './collection';
import { dotF32 } from './cosine';
import { graphCreate, levelOf } from './graph';
import { graphLink } from './graph-build';
import { centre, normalize, quantize, quantizedCreate, quantizeZero } from './quantized';
import { paddedDimensions, rotate } from './rotation';

/**
 * Up to this size the codes of vectors are scanned, and no graph is built: a scan is then about as fast as exploring a graph,
 * finds more, and needs no building. This is 48,000 vectors of 768 dimensions or 119,000 of 256.
 */
export const SCANNED_BYTES: u32 = 5 << 20;

let scannedBytes: u32 = SCANNED_BYTES;

/** Sets another size for the segment that was begun. */
export function vectorsScanBytes(bytes: u32): void {
  scannedBytes = bytes;
}

@unmanaged
export class VectorIndex {
  quantized: usize;
  /** Buffer of u32: vectors without a direction */
  undirected: usize;
  /** 0: there is none */
  graph: usize;
}

/** `owners`: u32 for each vector, or, with `oneEach`, vector i is of document i; `ids`: u32 internal ids of documents. */
export function indexVectors(collection: Collection, owners: usize, oneEach: bool, ids: usize): VectorIndex {
  const count = collection.vectorCount;
  const components = paddedDimensions(collection.dimensions);
  const index = changetype<VectorIndex>(alloc(offsetof<VectorIndex>()));
  const quantized = quantizedCreate(count, components);
  index.quantized = changetype<usize>(quantized);
  index.graph = 0;
  const levels = alloc(count);
  // The following steps release their scratch memory, except for the graph, which comes last.
  const undirected = bufferCreate(16);
  index.undirected = undirected;
  const mark = arenaMark();
  const values = alloc((<usize>collection.dimensions) << 2);
  const directed = alloc((<usize>components) << 2);
  centroidOf(collection, values, directed, quantized.centroid, components);
  quantized.centroidSquare = dotF32(quantized.centroid, quantized.centroid, components);
  for (let vector: u32 = 0; vector < count; vector++) {
    const has = directedAt(collection, vector, values, directed, components);
    if (has) {
      rotate(directed, components);
      centre(directed, quantized.centroid, components);
      quantize(quantized, vector, directed);
    } else {
      quantizeZero(quantized, vector);
    }
    const document = oneEach ? vector : load<u32>(owners + ((<usize>vector) << 2));
    const id = load<u32>(ids + ((<usize>document) << 2));
    const ordinal = <u32>load<u8>(changetype<Buffer>(collection.ordinals).data + vector);
    store<u8>(levels + vector, has ? <u8>levelOf(id, ordinal) : 255);
  }
  arenaReset(mark);
  for (let vector: u32 = 0; vector < count; vector++) {
    if (load<u8>(levels + vector) === 255) bufferPush32(undirected, vector);
  }
  if (blockCountOf(count) * blockBytesOf(components) > scannedBytes) {
    index.graph = graphCreate(levels, count);
    graphLink(index.graph, quantized, levels, collection.oldGraph, changetype<Buffer>(collection.origins).data);
  }
  return index;
}

function directedAt(collection: Collection, vector: u32, values: usize, out: usize, components: u32): bool {
  const bytes = (<usize>collection.dimensions) << 2;
  pagesRead(collection.values, <u64>vector * bytes, bytes, values);
  return normalize(values, collection.dimensions, out, components);
}

/** The mean of all vectors after normalisation and rotation. */
function centroidOf(collection: Collection, values: usize, directed: usize, out: usize, components: u32): void {
  const sums = allocZeroed((<usize>components) << 3);
  for (let vector: u32 = 0; vector < collection.vectorCount; vector++) {
    directedAt(collection, vector, values, directed, components);
    for (let i: usize = 0; i < <usize>components; i += 2) {
      const at = sums + (i << 3);
      const pair = f64x2.promote_low_f32x4(v128.load64_zero(directed + (i << 2)));
      v128.store(at, f64x2.add(v128.load(at), pair));
    }
  }
  for (let i: usize = 0; i < <usize>components; i++) {
    store<f32>(out + (i << 2), <f32>(load<f64>(sums + (i << 3)) / <f64>collection.vectorCount));
  }
  rotate(out, components);
}
