import type { EngineInstance } from '../engine/instance.js';
import { normalizeOperand } from '../engine/tokenizer.js';

/** An operand of a filter, read as the two kinds of values that columns hold. */
export interface Operand {
  /** The finite decimal number that the whole text is, else null. */
  number: number | null;
  /** UTF-8 of the normalized text, of any length; stored values are cut, so a longer one equals none. */
  text: Uint8Array;
}

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
/** Texts that need no tables. */
const PLAIN = /^[ -~]*$/;

const encoder = new TextEncoder();

export function operand(instance: EngineInstance, value: string): Operand {
  const number = DECIMAL.test(value) ? Number(value) : Number.NaN;
  const normalized = PLAIN.test(value) ? value.trim().toLowerCase() : normalizeOperand(instance, value);
  return { number: Number.isFinite(number) ? number : null, text: encoder.encode(normalized) };
}
