/** The structural characters of JSON. */
import { skipBlanks } from './values';

export const QUOTE: u32 = 0x22;
export const COMMA: u32 = 0x2c;
export const COLON: u32 = 0x3a;
export const OPEN_ARRAY: u32 = 0x5b;
export const CLOSE_ARRAY: u32 = 0x5d;
export const OPEN_OBJECT: u32 = 0x7b;
export const CLOSE_OBJECT: u32 = 0x7d;

/** Where the next member or item begins after a value, or the closing bracket. */
export function nextItem(at: usize, end: usize): usize {
  at = skipBlanks(at, end);
  return load<u8>(at) === COMMA ? skipBlanks(at + 1, end) : at;
}
