/** What an answer to a search has after its hits. */
import { CLOSE_OBJECT, QUOTE } from '../json/signs';
import { now } from '../runtime/env';
import { hexDigits, Output, outputCreate } from './output';

const DASH: u32 = 0x2d;
/** Initial bytes of the output: enough for most answers without facets. */
const FIRST_OUTPUT_BYTES: usize = 512;

/** In {@link AnswerEnd}: pages are not counted. */
export const NO_PAGES: u32 = 0xffffffff;

/** Texts are JSON in UTF-8, and begin with a comma; of length 0: there is none. */
@unmanaged
export class AnswerEnd {
  /** When the request began, on the host's clock. */
  start: f64;
  /** Milliseconds since 1970, and random numbers: what `requestUid` consists of. 0: it is among the last members. */
  time: f64;
  random1: u32;
  random2: u32;
  random3: u32;
  /** The query in UTF-8. */
  query: usize;
  queryLength: u32;
  /** Members after the query. */
  afterQuery: usize;
  afterQueryLength: u32;
  /** Members that describe the page, up to their counts. */
  page: usize;
  pageLength: u32;
  /** Counts: pages ({@link NO_PAGES}: they are not shown) and documents. */
  pages: u32;
  total: u32;
  /** Facets, and further members. */
  distribution: usize;
  distributionLength: u32;
  stats: usize;
  statsLength: u32;
  more: usize;
  moreLength: u32;
  /** The last members, after `requestUid`. */
  last: usize;
  lastLength: u32;
  /** What is written. */
  text: usize;
  length: u32;
}

/** @param before bytes of the answer before, see writeHits in hits */
export function writeEnd(end: AnswerEnd, before: u32): void {
  const out = outputCreate(FIRST_OUTPUT_BYTES, before);
  out.ascii('],"query":"');
  out.escaped(end.query, end.queryLength);
  out.byte(QUOTE);
  out.copy(end.afterQuery, end.afterQueryLength);
  out.ascii(',"processingTimeMs":');
  out.number(<u32>(now() - end.start));
  out.copy(end.page, end.pageLength);
  if (end.pages !== NO_PAGES) {
    out.number(end.pages);
    out.ascii(',"totalHits":');
  }
  out.number(end.total);
  if (end.distributionLength > 0) {
    out.ascii(',"facetDistribution":');
    out.copy(end.distribution, end.distributionLength);
    out.ascii(',"facetStats":');
    out.copy(end.stats, end.statsLength);
  }
  out.copy(end.more, end.moreLength);
  if (end.time !== 0) writeUid(end, out);
  out.copy(end.last, end.lastLength);
  out.byte(CLOSE_OBJECT);
  end.text = out.data;
  end.length = <u32>out.length;
}

/** The member `requestUid`: a UUID of version 7, with 48 bits of time, and 74 random bits. */
function writeUid(end: AnswerEnd, out: Output): void {
  const time = <u64>end.time;
  out.ascii(',"requestUid":"');
  hexDigits(time >>> 16, 8, out);
  out.byte(DASH);
  hexDigits(time, 4, out);
  out.byte(DASH);
  hexDigits(0x7000 | (end.random1 & 0xfff), 4, out);
  out.byte(DASH);
  hexDigits(0x8000 | (end.random1 >>> 18), 4, out);
  out.byte(DASH);
  hexDigits(end.random2, 8, out);
  hexDigits(end.random3, 4, out);
  out.byte(QUOTE);
}
