/** What an answer to a search has after its hits. */
import { CLOSE_OBJECT, QUOTE } from '../json/signs';
import { now } from '../runtime/env';
import { outputCreate } from './output';

/** Initial bytes of the output: enough for most answers without facets. */
const FIRST_OUTPUT_BYTES: usize = 512;

/** In {@link AnswerEnd}: pages are not counted. */
export const NO_PAGES: u32 = 0xffffffff;

/** Texts are JSON in UTF-8, and begin with a comma; of length 0: there is none. */
@unmanaged
export class AnswerEnd {
  /** When the request began, on the host's clock. */
  start: f64;
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
  /** Facets. */
  distribution: usize;
  distributionLength: u32;
  stats: usize;
  statsLength: u32;
  /** The last members. */
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
  out.copy(end.last, end.lastLength);
  out.byte(CLOSE_OBJECT);
  end.text = out.data;
  end.length = <u32>out.length;
}
