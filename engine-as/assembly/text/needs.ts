import { propertiesOf, scriptIn } from './properties';
import { isHangulLetter } from './runs';
import { SCRIPT_HAN, SCRIPT_HIRAGANA, SCRIPT_KATAKANA, SCRIPT_KHMER, SCRIPT_THAI } from './tables';
import { utf8Decode, utf8Length } from './utf8';
import { LIST_CHINESE, LIST_JAPANESE, LIST_KHMER, LIST_KOREAN, LIST_THAI } from './word-list';

const BACKSLASH: u32 = 0x5c;
/** Code points below U+0800 have at most two bytes. None of them needs a word list. */
const FIRST_OF_THREE: u32 = 0xe0;
const ESCAPE_BYTES: usize = 6;

function listsOf(point: u32): u32 {
  const script = scriptIn(propertiesOf(point));
  if (script === SCRIPT_THAI) return 1 << LIST_THAI;
  if (script === SCRIPT_KHMER) return 1 << LIST_KHMER;
  if (script === SCRIPT_HIRAGANA || script === SCRIPT_KATAKANA) return 1 << LIST_JAPANESE;
  if (script === SCRIPT_HAN) return 1 << LIST_CHINESE;
  return isHangulLetter(point) ? 1 << LIST_KOREAN : 0;
}

/** The code point of a JSON escape (backslash, u, four digits); 0 when there is none. */
function escaped(at: usize): u32 {
  if (load<u8>(at, 1) !== 0x75) return 0;
  let point: u32 = 0;
  for (let i: usize = 2; i < ESCAPE_BYTES; i++) {
    const digit = <u32>load<u8>(at + i);
    point = (point << 4) | (digit < 0x40 ? digit & 15 : (digit & 15) + 9);
  }
  return point;
}

/**
 * Bits of the word lists that a text, or the texts in a piece of JSON, may need, judged by its letters for any language. (Lists
 * that depend on locales alone are not included: German, and Japanese for text without kana.)
 */
export function wordListsFor(text: usize, length: u32): u32 {
  const end = text + length;
  const backslashes = i8x16.splat(<i8>BACKSLASH);
  const longFrom = i8x16.splat(<i8>FIRST_OF_THREE);
  let lists: u32 = 0;
  let at = text;
  while (at < end) {
    if (at + 16 <= end) {
      const bytes = v128.load(at);
      const special = <u32>i8x16.bitmask(v128.or(i8x16.ge_u(bytes, longFrom), i8x16.eq(bytes, backslashes)));
      if (special === 0) {
        at += 16;
        continue;
      }
      at += ctz(special);
    }
    const byte = <u32>load<u8>(at);
    if (byte >= FIRST_OF_THREE) {
      lists |= listsOf(utf8Decode(at));
      at += utf8Length(byte);
    } else {
      if (byte === BACKSLASH && at + ESCAPE_BYTES <= end) lists |= listsOf(escaped(at));
      at++;
    }
  }
  return lists;
}
