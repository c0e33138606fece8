/** Facets as answers show them. */
import { CLOSE_ARRAY, CLOSE_OBJECT, COLON, COMMA, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from '../json/signs';
import { allocZeroed } from '../runtime/arena';
import { bufferCreate, bufferPushBytes } from '../runtime/buffer';
import { keyNumber, numberTable, tableFind } from '../runtime/key-table';
import { Output, outputCreate } from '../write/output';
import { countField } from './count';
import { FacetField, FacetsPlan, WrittenFacets } from './plan';
import { FacetText, FacetValues, numberAt, textAt } from './values';

/** Initial bytes for the answer: enough for the distributions of three fields of 100 values. */
const FIRST_BYTES: usize = 8192;
const MINUS: u32 = 0x2d;
const ZERO: u32 = 0x30;

/** Counts the values of the fields of a plan, or searches the texts of its only field. */
export function writeFacets(plan: FacetsPlan): WrittenFacets {
  return plan.search === null ? writeDistribution(plan) : writeHits(plan);
}

/** `facetDistribution` and `facetStats`. */
function writeDistribution(plan: FacetsPlan): WrittenFacets {
  const written = changetype<WrittenFacets>(allocZeroed(offsetof<WrittenFacets>()));
  const distribution = outputCreate(FIRST_BYTES);
  const stats = outputCreate(FIRST_BYTES);
  distribution.byte(OPEN_OBJECT);
  stats.byte(OPEN_OBJECT);
  for (let i: u32 = 0; i < plan.fieldCount; i++) {
    const field = fieldAt(plan, i);
    const values = countField(plan, field);
    if (i > 0) distribution.byte(COMMA);
    distribution.copy(field.name, field.nameLength);
    distribution.byte(COLON);
    distribution.byte(OPEN_OBJECT);
    if (values.isTimedOut) written.isTimedOut = true;
    else {
      writeValues(values, field.limit, distribution);
      if (!isNaN(values.least)) writeRange(field, values, stats);
    }
    distribution.byte(CLOSE_OBJECT);
  }
  distribution.byte(CLOSE_OBJECT);
  stats.byte(CLOSE_OBJECT);
  written.distribution = distribution.data;
  written.distributionLength = <u32>distribution.length;
  written.stats = stats.data;
  written.statsLength = <u32>stats.length;
  return written;
}

/** `facetHits`. */
function writeHits(plan: FacetsPlan): WrittenFacets {
  const written = changetype<WrittenFacets>(allocZeroed(offsetof<WrittenFacets>()));
  const out = outputCreate(FIRST_BYTES);
  const values = countField(plan, fieldAt(plan, 0));
  written.isTimedOut = values.isTimedOut;
  out.byte(OPEN_ARRAY);
  for (let i: u32 = 0; !values.isTimedOut && i < values.textCount; i++) {
    const text = textAt(values.texts, i);
    out.ascii(i > 0 ? ',{"value":"' : '{"value":"');
    out.escaped(text.original, text.originalLength);
    out.ascii('","count":');
    out.number(text.documents);
    out.byte(CLOSE_OBJECT);
  }
  out.byte(CLOSE_ARRAY);
  written.distribution = out.data;
  written.distributionLength = <u32>out.length;
  return written;
}

function fieldAt(plan: FacetsPlan, index: u32): FacetField {
  return changetype<FacetField>(plan.fields + <usize>index * offsetof<FacetField>());
}

function writeValues(values: FacetValues, limit: u32, out: Output): void {
  const texts = joinTexts(values, limit);
  for (let i: u32 = 0; i < values.numberCount; i++) {
    const number = numberAt(values.numbers, i);
    out.byte(i > 0 ? COMMA : QUOTE);
    if (i > 0) out.byte(QUOTE);
    out.copy(number.text, number.length);
    out.byte(QUOTE);
    out.byte(COLON);
    out.number(number.documents);
  }
  let isFirst = values.numberCount === 0;
  for (let i: u32 = 0; i < texts; i++) {
    const text = textAt(values.texts, i);
    if (text.documents === 0) continue;
    if (!isFirst) out.byte(COMMA);
    isFirst = false;
    out.byte(QUOTE);
    out.escaped(text.original, text.originalLength);
    out.byte(QUOTE);
    out.byte(COLON);
    out.number(text.documents);
  }
}

/**
 * The number of texts that fit beside the numbers. A text that equals the text of a number is the same member of the object: its
 * count replaces that of the number, and the text gets the count 0.
 */
function joinTexts(values: FacetValues, limit: u32): u32 {
  let size = values.numberCount;
  let numbers: usize = 0;
  let i: u32 = 0;
  for (; i < values.textCount && size < limit; i++) {
    const text = textAt(values.texts, i);
    if (values.numberCount > 0 && startsLikeNumber(text)) {
      if (numbers === 0) numbers = numbersByText(values);
      const place = tableFind(numbers, keyOf(text.original, text.originalLength));
      if (place !== 0) {
        numberAt(values.numbers, <u32>place - 1).documents = text.documents;
        text.documents = 0;
        continue;
      }
    }
    size++;
  }
  return i;
}

function startsLikeNumber(text: FacetText): bool {
  const first: u32 = load<u8>(text.original);
  return first === MINUS || first - ZERO < 10;
}

function numbersByText(values: FacetValues): usize {
  const table = numberTable();
  for (let i: u32 = 0; i < values.numberCount; i++) {
    const number = numberAt(values.numbers, i);
    keyNumber(table, keyOf(number.text, number.length), i);
  }
  return table;
}

function keyOf(text: usize, length: u32): usize {
  const key = bufferCreate(length);
  bufferPushBytes(key, text, length);
  return key;
}

function writeRange(field: FacetField, values: FacetValues, out: Output): void {
  if (out.length > 1) out.byte(COMMA);
  out.copy(field.name, field.nameLength);
  out.ascii(':{"min":');
  out.quantity(values.least);
  out.ascii(',"max":');
  out.quantity(values.greatest);
  out.byte(CLOSE_OBJECT);
}
