import { foldPoint } from './fold';
import { languageOfText, scriptOfText } from './group';
import { foldToken } from './letters';
import { isCased, isCaseIgnorable, isWhiteSpace } from './properties';
import { FOLD_FACET } from './tables';
import { utf8Decode, utf8Length, utf8Previous } from './utf8';

/** Longest stored value of a facet, in bytes. */
export const FACET_BYTES: u32 = 468;
/** Bytes after FACET_BYTES that are read, because the normal form of a letter may depend on those after it. */
const NEIGHBOURHOOD: u32 = 64;
/** Bytes of the output buffer of {@link normalizeFacetInto}: FACET_BYTES, NEIGHBOURHOOD and the longest folded code point. */
export const FACET_ROOM: u32 = 576;

const SIGMA: u32 = 0x3a3;
const LUNATE_SIGMA: u32 = 0x3f9;

/** Whether a code point is Σ or one of the mathematical letters that decompose to it. */
function isCapitalSigma(point: u32): bool {
  if (point < 0x1d6ba) return point === SIGMA || point === LUNATE_SIGMA;
  return point <= 0x1d7a2 && (point - 0x1d6ba) % 58 === 0;
}

/** Whether the Σ at `at` ends a word: a cased letter precedes and none follows, ignoring case-ignorable code points. */
function isFinal(at: usize, text: usize, end: usize): bool {
  let cased = false;
  for (let before = at; before > text && !cased; ) {
    before = utf8Previous(before);
    const point = utf8Decode(before);
    cased = isCased(point);
    if (!cased && !isCaseIgnorable(point)) return false;
  }
  if (!cased) return false;
  for (let after = at + 2; after < end; after += utf8Length(load<u8>(after))) {
    const point = utf8Decode(after);
    if (isCaseIgnorable(point)) continue;
    return !isCased(point);
  }
  return true;
}

/** Converts each Σ in a folded text to lower case. */
function lowerSigmas(text: usize, end: usize): void {
  for (let at = text; at < end; at += utf8Length(load<u8>(at))) {
    if (utf8Decode(at) !== SIGMA) continue;
    store<u8>(at, 0xcf);
    store<u8>(at, isFinal(at, text, end) ? 0x82 : 0x83, 1);
  }
}

/**
 * Trims, decomposes and lower-cases a text. Stops at the end of the text or soon after `limit` bytes of output. Returns the bytes
 * written.
 */
function normalize(text: usize, length: u32, out: usize, limit: u32): u32 {
  let at = text;
  let end = text + length;
  while (at < end && isWhiteSpace(utf8Decode(at))) at += utf8Length(load<u8>(at));
  while (at < end && isWhiteSpace(utf8Decode(utf8Previous(end)))) end = utf8Previous(end);
  let written: u32 = 0;
  let sigmas = false;
  while (at < end && written <= limit) {
    const byte = <u32>load<u8>(at);
    if (byte < 0x80) {
      store<u8>(out + written, byte - 0x41 < 26 ? byte | 0x20 : byte);
      written++;
      at++;
      continue;
    }
    const point = utf8Decode(at);
    if (isCapitalSigma(point)) {
      store<u8>(out + written, 0xce);
      store<u8>(out + written, 0xa3, 1);
      written += 2;
      sigmas = true;
    } else {
      written += foldPoint(FOLD_FACET, point, out + written);
    }
    at += utf8Length(byte);
  }
  if (sigmas) lowerSigmas(out, out + written);
  return written;
}

/**
 * The form in which string values of facets are stored and compared: trimmed, decomposed, lower-cased, with accents, truncated to
 * FACET_BYTES at a code point boundary. `out` has room for FACET_ROOM bytes. Returns the bytes written.
 */
export function normalizeFacetInto(text: usize, length: u32, out: usize): u32 {
  const written = normalize(text, length, out, FACET_BYTES + NEIGHBOURHOOD);
  if (written <= FACET_BYTES) return written;
  let cut = FACET_BYTES;
  while ((load<u8>(out + cut) & 0xc0) === 0x80) cut--;
  return cut;
}

/** Like {@link normalizeFacetInto} but not truncated: operands of filters. */
export const VALUE_COMPARED: u32 = 0;
/** The whole text folded like a word, without accents, neither trimmed nor truncated: for facet search. */
export const VALUE_SEARCHED: u32 = 1;

/**
 * Normalizes a value as VALUE_* says. `locales`: a list of locales or 0, for {@link VALUE_SEARCHED}; `out` has room for
 * MAX_FOLD_GROWTH bytes per byte of the text. Returns the bytes written.
 */
export function foldValueInto(text: usize, length: u32, form: u32, locales: usize, out: usize): u32 {
  if (form === VALUE_COMPARED) return normalizeOperandInto(text, length, out);
  return foldFacetInto(text, length, locales, out);
}

/** Normalizes a value as {@link VALUE_COMPARED}. */
export function normalizeOperandInto(text: usize, length: u32, out: usize): u32 {
  return normalize(text, length, out, u32.MAX_VALUE);
}

/** Normalizes a value as {@link VALUE_SEARCHED}. */
export function foldFacetInto(text: usize, length: u32, locales: usize, out: usize): u32 {
  const end = text + length;
  const script = scriptOfText(text, end);
  return foldToken(script, languageOfText(script, text, locales), text, end, out, 0);
}
