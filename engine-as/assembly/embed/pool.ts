import { alloc } from '../runtime/arena';
import { normF32 } from '../vector/cosine';
import { StaticModel } from './model';
import { findTokens, Tokens } from './tokens';

/**
 * Finds the tokens of a text and writes its vector to f32[dimensions]. Returns false at a word that the host must tokenize: the
 * host passes its tokens and calls again.
 */
export function embedText(model: StaticModel, text: Tokens, out: usize): bool {
  if (!findTokens(model, text)) return false;
  poolTokens(model, text.data, text.count, out);
  return true;
}

/** The sum of the vectors of tokens (u32[count]), scaled to the length 1. */
function poolTokens(model: StaticModel, found: usize, count: u32, out: usize): void {
  const dimensions = model.dimensions;
  const bytes = (<usize>dimensions) << 2;
  memory.fill(out, 0, bytes);
  const tokens = alloc((<usize>count) << 2);
  const known = tokensWithRows(model, found, count, tokens);
  if (known === 0) {
    memory.copy(out, model.middle, bytes);
    return;
  }
  let row: u32 = 0;
  if (model.weights !== 0) {
    for (; row < known; row++) {
      const token = tokens + ((<usize>row) << 2);
      addWeighted(out, model, load<u32>(token));
    }
  } else {
    // Four rows per pass, because most of the time goes into loading and storing the sums.
    for (; row + 4 <= known; row += 4) addFour(out, model, tokens + ((<usize>row) << 2));
    for (; row < known; row++) add(out, rowAt(model, load<u32>(tokens + ((<usize>row) << 2))), dimensions);
  }
  // The mean and the sum differ only in length.
  const norm = normF32(out, dimensions);
  if (norm > 0) scale(out, <f32>1 / norm, dimensions);
}

/** Copies the tokens that have a row to `out`. Returns their number. */
function tokensWithRows(model: StaticModel, tokens: usize, count: u32, out: usize): u32 {
  let known: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const token = load<u32>(tokens + ((<usize>i) << 2));
    if (token >= model.tokenCount || load<i32>(model.rows + ((<usize>token) << 2)) < 0) continue;
    store<u32>(out + ((<usize>known) << 2), token);
    known++;
  }
  return known;
}

function rowAt(model: StaticModel, token: u32): usize {
  const row = load<u32>(model.rows + ((<usize>token) << 2));
  return model.table + <usize>row * ((<usize>model.dimensions) << 2);
}

function addFour(out: usize, model: StaticModel, tokens: usize): void {
  let a = rowAt(model, load<u32>(tokens));
  let b = rowAt(model, load<u32>(tokens, 4));
  let c = rowAt(model, load<u32>(tokens, 8));
  let d = rowAt(model, load<u32>(tokens, 12));
  const end = out + ((<usize>model.dimensions) << 2);
  for (; out + 16 <= end; out += 16, a += 16, b += 16, c += 16, d += 16) {
    const left = f32x4.add(v128.load(a), v128.load(b));
    const right = f32x4.add(v128.load(c), v128.load(d));
    v128.store(out, f32x4.add(v128.load(out), f32x4.add(left, right)));
  }
  for (; out < end; out += 4, a += 4, b += 4, c += 4, d += 4) {
    store<f32>(out, load<f32>(out) + (load<f32>(a) + load<f32>(b) + (load<f32>(c) + load<f32>(d))));
  }
}

function add(out: usize, row: usize, dimensions: u32): void {
  const end = out + ((<usize>dimensions) << 2);
  for (; out + 16 <= end; out += 16, row += 16) v128.store(out, f32x4.add(v128.load(out), v128.load(row)));
  for (; out < end; out += 4, row += 4) store<f32>(out, load<f32>(out) + load<f32>(row));
}

function addWeighted(out: usize, model: StaticModel, token: u32): void {
  const weight = load<f32>(model.weights + ((<usize>token) << 2));
  const weights = f32x4.splat(weight);
  let row = rowAt(model, token);
  const end = out + ((<usize>model.dimensions) << 2);
  for (; out + 16 <= end; out += 16, row += 16) {
    v128.store(out, f32x4.add(v128.load(out), f32x4.mul(weights, v128.load(row))));
  }
  for (; out < end; out += 4, row += 4) store<f32>(out, load<f32>(out) + weight * load<f32>(row));
}

function scale(vector: usize, factor: f32, dimensions: u32): void {
  const end = vector + ((<usize>dimensions) << 2);
  const factors = f32x4.splat(factor);
  for (; vector + 16 <= end; vector += 16) v128.store(vector, f32x4.mul(factors, v128.load(vector)));
  for (; vector < end; vector += 4) store<f32>(vector, factor * load<f32>(vector));
}
