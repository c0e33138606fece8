/** A query in the form in which it is compared with quantised vectors. */
import { alloc } from '../runtime/arena';
import { dotF32, normF32 } from './cosine';
import { BLOCK_VECTORS, dotI16I8, largestMagnitude, NIBBLE_BITS, nibbleTables, sumMagnitudes, widenI8 } from './kernels';
import { centre, normalize, Quantized, rowAt, rowTail } from './quantized';
import { rotate } from './rotation';

/** Components of a query are rounded to this many steps on each side of 0: 13 bits including the sign, see dotI16I8. */
const QUERY_STEPS: f32 = 4095;

@unmanaged
export class Probe {
  /** <q, c>: a constant part of all cosines */
  shared: f32;
  /** |q - c| */
  norm: f32;
  /** i16[components]: (q - c) / scale */
  components: usize;
  scale: f32;
  /** for codes, see nibbleTables: Σ ± component of (q - c) = step · entries - reach */
  tables: usize;
  step: f32;
  reach: f32;
  /** f32[BLOCK_VECTORS]: entries of the codes of a block */
  sums: usize;
}

/** A probe that {@link probeValues} or {@link probeRow} fills. */
export function probeCreate(quantized: Quantized): Probe {
  const probe = changetype<Probe>(alloc(offsetof<Probe>()));
  probe.components = alloc((<usize>quantized.components) << 1);
  probe.tables = alloc((<usize>quantized.components) << 2);
  probe.sums = alloc((<usize>BLOCK_VECTORS) << 2);
  return probe;
}

/** Sets the probe to f32 values. False: they are a zero vector. */
export function probeValues(probe: Probe, quantized: Quantized, values: usize, dimensions: u32): bool {
  const components = quantized.components;
  const centred = alloc((<usize>components) << 2);
  if (!normalize(values, dimensions, centred, components)) return false;
  rotate(centred, components);
  probe.shared = dotF32(centred, quantized.centroid, components);
  centre(centred, quantized.centroid, components);
  probe.norm = normF32(centred, components);
  const scale = largestMagnitude(centred, components) / QUERY_STEPS;
  const inverse: f32 = scale > 0 ? <f32>1 / scale : 0;
  probe.scale = scale;
  for (let i: usize = 0; i < <usize>components; i++) {
    store<i16>(probe.components + (i << 1), <i16>nearest<f32>(load<f32>(centred + (i << 2)) * inverse));
  }
  probe.step = nibbleTables(centred, components / NIBBLE_BITS, probe.tables);
  probe.reach = sumMagnitudes(centred, components);
  return true;
}

/** Sets the probe to a quantised vector, for {@link rowCosine} only. */
export function probeRow(probe: Probe, quantized: Quantized, vector: u32): void {
  const row = rowAt(quantized, vector);
  const tail = rowTail(quantized, row);
  widenI8(row, quantized.components, probe.components);
  probe.scale = tail.scale;
  probe.shared = quantized.centroidSquare + tail.bias;
}

/** The cosine with a vector, estimated from its row. */
export function rowCosine(probe: Probe, quantized: Quantized, vector: u32): f32 {
  const row = rowAt(quantized, vector);
  const tail = rowTail(quantized, row);
  return probe.shared + tail.bias + probe.scale * tail.scale * dotI16I8(probe.components, row, quantized.components);
}
