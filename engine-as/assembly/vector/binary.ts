/** Vectors with one bit per component: 1 if it is greater than 0. Bits after the last component are 0. */
import { binaryWords } from './layout';

/** Writes the bits of f32 components as u64 words. */
export function setBits(values: usize, dimensions: u32, out: usize): void {
  const words = binaryWords(dimensions);
  for (let word: u32 = 0; word < words; word++) {
    let bits: u64 = 0;
    const from = word << 6;
    const end = min<u32>(dimensions, from + 64);
    for (let i = from; i < end; i++) {
      if (load<f32>(values + ((<usize>i) << 2)) > 0) bits |= (<u64>1) << (i - from);
    }
    store<u64>(out + ((<usize>word) << 3), bits);
  }
}

/** Number of differing bits of two binary vectors of `words` words. */
function hammingDistance(left: usize, right: usize, words: u32): u32 {
  let different: u64 = 0;
  const end = left + ((<usize>words) << 3);
  for (; left < end; left += 8, right += 8) different += popcnt(load<u64>(left) ^ load<u64>(right));
  return <u32>different;
}

/** The share of equal bits, including those of padding. */
export function binarySimilarity(left: usize, right: usize, words: u32): f32 {
  return <f32>1 - <f32>hammingDistance(left, right, words) / <f32>(words << 6);
}
