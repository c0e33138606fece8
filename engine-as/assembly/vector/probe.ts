/** A query as it is compared with quantised vectors. */
import { alloc } from '../runtime/arena';
import { dotF32, normF32 } from './cosine';
import { dotI16I8, largestMagnitude, PLANES, planeDot, splitPlanes, widenI8 } from './kernels';
import { CodeHead, centre, codeAt, direct, Quantized, rowAt, rowTail } from './quantized';
import { rotate } from './rotation';

/** Components of a query are rounded to this many steps on each side of 0: 13 bits with the sign, see dotI16I8. */
const QUERY_STEPS: f32 = 4095;
const PLANE_STEPS: f32 = 15; // 2^PLANES - 1

@unmanaged
export class Probe {
  /** <q, c>: what all cosines have in common */
  shared: f32;
  /** |q - c| */
  norm: f32;
  /** i16[components]: (q - c) / scale */
  components: usize;
  scale: f32;
  /** numbers of (q - c) = low + step · number, for planeDot */
  planes: usize;
  step: f32;
  /** Σ (q - c) and low, so that Σ ± = 2 · (step · planeDot + low · bits set) - sum */
  sum: f32;
  low: f32;
}

/** A probe that {@link probeValues} or {@link probeRow} fills. */
export function probeCreate(quantized: Quantized): Probe {
  const probe = changetype<Probe>(alloc(offsetof<Probe>()));
  probe.components = alloc((<usize>quantized.components) << 1);
  probe.planes = alloc((<usize>quantized.components >>> 3) * PLANES);
  return probe;
}

/** Aims it at f32 values. False: they have no direction. */
export function probeValues(probe: Probe, quantized: Quantized, values: usize, dimensions: u32): bool {
  const components = quantized.components;
  const centred = alloc((<usize>components) << 2);
  if (!direct(values, dimensions, centred, components)) return false;
  rotate(centred, components);
  probe.shared = dotF32(centred, quantized.centroid, components);
  centre(centred, quantized.centroid, components);
  probe.norm = normF32(centred, components);
  const scale = largestMagnitude(centred, components) / QUERY_STEPS;
  const inverse: f32 = scale > 0 ? <f32>1 / scale : 0;
  probe.scale = scale;
  let low: f32 = 0;
  let high: f32 = 0;
  let sum: f32 = 0;
  for (let i: usize = 0; i < <usize>components; i++) {
    const component = load<f32>(centred + (i << 2));
    store<i16>(probe.components + (i << 1), <i16>nearest<f32>(component * inverse));
    low = min<f32>(low, component);
    high = max<f32>(high, component);
    sum += component;
  }
  probe.low = low;
  probe.sum = sum;
  probe.step = (high - low) / PLANE_STEPS;
  const numbers = alloc(components);
  const steps: f32 = probe.step > 0 ? <f32>1 / probe.step : 0;
  for (let i: usize = 0; i < <usize>components; i++) {
    store<u8>(numbers + i, <u8>nearest<f32>((load<f32>(centred + (i << 2)) - low) * steps));
  }
  splitPlanes(numbers, components, probe.planes);
  return true;
}

/** Aims it at a quantised vector, for {@link rowCosine} alone. */
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

/** The cosine with a vector, estimated from its code. */
export function codeCosine(probe: Probe, quantized: Quantized, vector: u32): f32 {
  const code = codeAt(quantized, vector);
  const head = changetype<CodeHead>(code);
  const bits = code + offsetof<CodeHead>();
  const above = probe.step * <f32>planeDot(bits, probe.planes, quantized.components) + probe.low * <f32>head.ones;
  return probe.shared + head.bias + head.factor * (<f32>2 * above - probe.sum);
}

/** One standard deviation of {@link codeCosine}. */
export function codeError(probe: Probe, quantized: Quantized, vector: u32): f32 {
  return probe.norm * changetype<CodeHead>(codeAt(quantized, vector)).error;
}
