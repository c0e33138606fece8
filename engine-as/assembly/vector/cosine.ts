/** Cosines in 32-bit floats. Vectors are f32 arrays at multiples of 4. */

/** Vectors with fewer components are summed one by one, so that small examples give exactly the scores computed by hand. */
const SHORT: u32 = 16;
/** If the product of two norms is at most this (the f32 epsilon), one vector is zero, and is similar to everything. */
const MIN_NORM_PRODUCT: f32 = 1.1920929e-7;

export function dotF32(left: usize, right: usize, dimensions: u32): f32 {
  const end = left + ((<usize>dimensions) << 2);
  let total: f32 = 0;
  if (dimensions >= SHORT) {
    let a: v128 = f32x4.splat(0);
    let b: v128 = f32x4.splat(0);
    let c: v128 = f32x4.splat(0);
    let d: v128 = f32x4.splat(0);
    for (const last = end - 64; left <= last; left += 64, right += 64) {
      a = f32x4.add(a, f32x4.mul(v128.load(left), v128.load(right)));
      b = f32x4.add(b, f32x4.mul(v128.load(left, 16), v128.load(right, 16)));
      c = f32x4.add(c, f32x4.mul(v128.load(left, 32), v128.load(right, 32)));
      d = f32x4.add(d, f32x4.mul(v128.load(left, 48), v128.load(right, 48)));
    }
    total = sumF32(f32x4.add(f32x4.add(a, b), f32x4.add(c, d)));
  }
  for (; left < end; left += 4, right += 4) total += load<f32>(left) * load<f32>(right);
  return total;
}

function sumF32(lanes: v128): f32 {
  return (
    f32x4.extract_lane(lanes, 0) + f32x4.extract_lane(lanes, 1) + (f32x4.extract_lane(lanes, 2) + f32x4.extract_lane(lanes, 3))
  );
}

export function normF32(vector: usize, dimensions: u32): f32 {
  return sqrt<f32>(dotF32(vector, vector, dimensions));
}

/** (1 + cos) / 2 of a query and its norm with a vector. */
export function cosineSimilarity(query: usize, queryNorm: f32, vector: usize, dimensions: u32): f32 {
  const norms = queryNorm * normF32(vector, dimensions);
  if (norms <= MIN_NORM_PRODUCT) return 1;
  if (!(norms < Infinity)) return similarityOfLarge(query, vector, dimensions);
  const cosine = max<f32>(-1, min<f32>(1, dotF32(query, vector, dimensions) / norms));
  return <f32>1 - (<f32>1 - cosine) / <f32>2;
}

/** The same in 64-bit floats: the squares of components from 1e19 on, or their sums, exceed 32 bits. */
function similarityOfLarge(query: usize, vector: usize, dimensions: u32): f32 {
  let dot: f64 = 0;
  let querySquare: f64 = 0;
  let vectorSquare: f64 = 0;
  for (let at: usize = 0; at < (<usize>dimensions) << 2; at += 4) {
    const left = <f64>load<f32>(query + at);
    const right = <f64>load<f32>(vector + at);
    dot += left * right;
    querySquare += left * left;
    vectorSquare += right * right;
  }
  const norms = sqrt<f64>(querySquare) * sqrt<f64>(vectorSquare);
  if (norms <= <f64>MIN_NORM_PRODUCT) return 1;
  return <f32>(1 - (1 - max<f64>(-1, min<f64>(1, dot / norms))) / 2);
}
