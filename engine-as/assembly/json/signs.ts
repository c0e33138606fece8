/** The characters of JSON. */

export const QUOTE: u32 = 0x22;
export const COMMA: u32 = 0x2c;
export const MINUS: u32 = 0x2d;
export const POINT: u32 = 0x2e;
export const ZERO: u32 = 0x30;
export const COLON: u32 = 0x3a;
export const OPEN_ARRAY: u32 = 0x5b;
export const BACKSLASH: u32 = 0x5c;
export const CLOSE_ARRAY: u32 = 0x5d;
export const OPEN_OBJECT: u32 = 0x7b;
export const CLOSE_OBJECT: u32 = 0x7d;
/** The word `null`, as a little-endian integer. */
export const NULL: u32 = 0x6c6c756e;
