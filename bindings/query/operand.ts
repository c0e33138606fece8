import type { EngineInstance } from '../engine/instance.js';
import { address } from '../engine/instance.js';

/** An operand of a filter, read as the two kinds of values that columns hold. */
export interface Operand {
  /** The finite decimal number that the whole text is, else null. */
  number: number | null;
  /** UTF-8 of the normalized text, of any length; stored values are cut, so a longer one equals none. */
  text: Uint8Array;
}

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const ASCII_ONLY = /^[ -~]*$/;
/** Most bytes that one byte of a text becomes when it is decomposed. */
const LARGEST_GROWTH = 16;

const encoder = new TextEncoder();

export function operand(instance: EngineInstance, value: string): Operand {
  const number = DECIMAL.test(value) ? Number(value) : Number.NaN;
  return { number: Number.isFinite(number) ? number : null, text: normalizedOperand(instance, value) };
}

function normalizedOperand(instance: EngineInstance, value: string): Uint8Array {
  if (ASCII_ONLY.test(value)) return encoder.encode(value.trim().toLowerCase());
  return instance.scoped(() => {
    const { pointer, length } = instance.putText(value);
    const out = instance.alloc(length * LARGEST_GROWTH);
    const written = instance.call('normalizeOperandInto', pointer, length, out);
    return instance.bytes.slice(address(out), out + written);
  });
}
