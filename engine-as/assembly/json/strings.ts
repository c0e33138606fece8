/** Strings of valid JSON texts: their ends, and their unescaped texts. */
import { hexDigit } from './scan-value';
import { BACKSLASH, QUOTE } from './signs';

let escaped: bool = false;

/** Whether the string whose end was found last has escapes. */
export function stringEscaped(): bool {
  return escaped;
}

/** Address of the closing quote of a string, from after its opening quote. `end`: of the text, which must be valid. */
export function stringEnd(from: usize, end: usize): usize {
  let at = from;
  escaped = false;
  while (at < end) {
    while (at + 16 <= end) {
      const bytes = v128.load(at);
      const special = v128.or(i8x16.eq(bytes, i8x16.splat(<i8>QUOTE)), i8x16.eq(bytes, i8x16.splat(<i8>BACKSLASH)));
      const mask = i8x16.bitmask(special);
      if (mask) {
        at += ctz(mask);
        break;
      }
      at += 16;
    }
    if (at >= end) break;
    const byte: u32 = load<u8>(at);
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH) {
      escaped = true;
      at += 2;
    } else at++;
  }
  return end;
}

/** Writes the unescaped text of a string (between its quotes), UTF-8 of at most `length` bytes, and returns its length. */
export function unescapeString(from: usize, length: u32, out: usize): u32 {
  const end = from + length;
  let at = from;
  let to = out;
  while (at < end) {
    if (at + 16 <= end) {
      const bytes = v128.load(at);
      v128.store(to, bytes);
      const mask = i8x16.bitmask(i8x16.eq(bytes, i8x16.splat(<i8>BACKSLASH)));
      const plain: usize = mask ? <usize>ctz(mask) : 16;
      at += plain;
      to += plain;
      if (!mask) continue;
    }
    const byte: u32 = load<u8>(at);
    if (byte !== BACKSLASH) {
      store<u8>(to++, byte);
      at++;
      continue;
    }
    const kind: u32 = load<u8>(at, 1);
    at += 2;
    if (kind === 0x75) {
      let code = hexUnit(at);
      at += 4;
      if (code >>> 10 === 0x36) {
        // Valid texts have no lone surrogates.
        code = 0x10000 + ((code & 0x3ff) << 10) + (hexUnit(at + 2) & 0x3ff);
        at += 6;
      }
      to = putCodePoint(code, to);
    } else {
      store<u8>(to++, escapeByte(kind));
    }
  }
  return <u32>(to - out);
}

function escapeByte(kind: u32): u32 {
  switch (kind) {
    case 0x62:
      return 0x08;
    case 0x66:
      return 0x0c;
    case 0x6e:
      return 0x0a;
    case 0x72:
      return 0x0d;
    case 0x74:
      return 0x09;
    default:
      return kind;
  }
}

function hexUnit(at: usize): u32 {
  return (
    (hexDigit(load<u8>(at)) << 12) |
    (hexDigit(load<u8>(at, 1)) << 8) |
    (hexDigit(load<u8>(at, 2)) << 4) |
    hexDigit(load<u8>(at, 3))
  );
}

/** Writes a code point as UTF-8 and returns the end. */
function putCodePoint(code: u32, out: usize): usize {
  if (code < 0x80) {
    store<u8>(out, code);
    return out + 1;
  }
  if (code < 0x800) {
    store<u8>(out, 0xc0 | (code >>> 6));
    store<u8>(out, 0x80 | (code & 0x3f), 1);
    return out + 2;
  }
  if (code < 0x10000) {
    store<u8>(out, 0xe0 | (code >>> 12));
    store<u8>(out, 0x80 | ((code >>> 6) & 0x3f), 1);
    store<u8>(out, 0x80 | (code & 0x3f), 2);
    return out + 3;
  }
  store<u8>(out, 0xf0 | (code >>> 18));
  store<u8>(out, 0x80 | ((code >>> 12) & 0x3f), 1);
  store<u8>(out, 0x80 | ((code >>> 6) & 0x3f), 2);
  store<u8>(out, 0x80 | (code & 0x3f), 3);
  return out + 4;
}
