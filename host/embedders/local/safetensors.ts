import fs from 'node:fs';
import { own } from '../../../bindings/own.js';
import { LocalModelError } from './model.js';

/** A tensor of one or two dimensions, as f32. */
export interface Tensor {
  shape: readonly number[];
  values: Float32Array;
}

interface Entry {
  dtype: string;
  shape: number[];
  data_offsets: [from: number, to: number];
}

type Numbers = Float64Array | Int32Array | Int8Array | Uint8Array | Uint16Array | BigInt64Array;

/** How the numbers of each data type are converted to f32; the bytes are aligned to the type. */
const READ: Record<string, (bytes: Uint8Array<ArrayBuffer>) => Float32Array> = {
  F32: ({ buffer }) => new Float32Array(buffer),
  F16: ({ buffer }) => asF32(new Uint16Array(buffer), (bits) => HALVES[bits] as number),
  BF16: ({ buffer }) => asF32(new Uint16Array(buffer), bfloat16),
  F64: ({ buffer }) => asF32(new Float64Array(buffer)),
  I64: ({ buffer }) => asF32(new BigInt64Array(buffer)),
  I32: ({ buffer }) => asF32(new Int32Array(buffer)),
  I8: ({ buffer }) => asF32(new Int8Array(buffer)),
  U8: (bytes) => asF32(bytes),
};

/** Bytes of the u64 with the length of the header. */
const HEAD_BYTES = 8;
const MAX_HEADER_BYTES = 100 << 20;

/**
 * Reads a safetensors file: u64 length of the header, the header (JSON: name -> type, shape, offsets), then the numbers, all
 * little-endian. Format: https://github.com/huggingface/safetensors
 * @throws {LocalModelError}
 */
export function readTensors(file: string): Map<string, Tensor> {
  const bytes = fs.readFileSync(file);
  const length = bytes.length < HEAD_BYTES ? -1 : Number(bytes.readBigUInt64LE());
  if (length < 0 || length > Math.min(MAX_HEADER_BYTES, bytes.length - HEAD_BYTES)) throw broken(file);
  const header = parsed(bytes.toString('utf8', HEAD_BYTES, HEAD_BYTES + length), file);
  const data = bytes.subarray(HEAD_BYTES + length);
  const tensors = new Map<string, Tensor>();
  for (const [name, entry] of header) {
    if (name === '__metadata__') continue;
    const { dtype, shape, data_offsets: place } = entry;
    const read = own(READ, dtype);
    if (!read) throw new LocalModelError(`the tensor \`${name}\` in \`${file}\` is of type \`${dtype}\`, which is not known.`);
    const [from, to] = place;
    const count = shape.reduce((product, size) => product * size, 1);
    if (to > data.length || (count > 0 && !Number.isInteger((to - from) / count))) throw broken(file);
    const values = read(Uint8Array.from(data.subarray(from, to)));
    if (values.length !== count) throw broken(file);
    tensors.set(name, { shape, values });
  }
  return tensors;
}

function parsed(json: string, file: string): [string, Entry][] {
  try {
    return Object.entries(JSON.parse(json) as Record<string, Entry>);
  } catch {
    throw broken(file);
  }
}

function broken(file: string): LocalModelError {
  return new LocalModelError(`\`${file}\` is damaged: it is no file of tensors.`);
}

/** A plain loop: `Float32Array.from` is many times slower over millions of numbers. */
function asF32(numbers: Numbers, read: (number: number) => number = (number) => number): Float32Array {
  const values = new Float32Array(numbers.length);
  for (let i = 0; i < numbers.length; i++) values[i] = read(Number(numbers[i]));
  return values;
}

const word = new Uint32Array(1);
const single = new Float32Array(word.buffer);

/** A bfloat16 is the upper half of an f32. */
function bfloat16(bits: number): number {
  word[0] = bits << 16;
  return single[0] as number;
}

/** The value of every IEEE 754 half-precision number: sign, 5 bits of exponent, 10 of fraction. */
const HALVES = Float32Array.from({ length: 1 << 16 }, (_, bits) => {
  const [sign, exponent, fraction] = [bits >> 15 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1024 + fraction) * 2 ** (exponent - 25);
});
