import { AnswerEnd, NO_PAGES } from '../engine/exports.js';
import type { EngineInstance } from '../engine/instance.js';
import type { Query } from '../query/query.js';
import type { ByteWriter } from './byte-writer.js';
import type { Facets } from './facets.js';

/** What an answer has after its hits. Texts are members as JSON, each after a comma; or empty. */
export interface EndMembers {
  /** When the request began, on the clock of the engine. */
  start: number;
  query: Query;
  afterQuery: string;
  /** UTF-8 of the members that describe the page, up to their counts. */
  page: Uint8Array;
  /** null: pages are not counted. */
  pages: number | null;
  total: number;
  facets: Facets | null;
  last: string;
}

const NOTHING = { pointer: 0, length: 0 };
const NO_FACETS = { distribution: 0, distributionLength: 0, stats: 0, statsLength: 0 };

/** Has the engine write what an answer has after its hits. */
export function writeEnd(out: ByteWriter, instance: EngineInstance, members: EndMembers): void {
  const { start, query, page, pages, total, facets } = members;
  const put = (text: string) => (text === '' ? NOTHING : instance.putText(text));
  const afterQuery = put(members.afterQuery);
  const last = put(members.last);
  const end = AnswerEnd.at(instance.alloc(AnswerEnd.bytes + page.length + query.mostBytes));
  const pageAt = end + AnswerEnd.bytes;
  const queryAt = pageAt + page.length;
  const { bytes, view } = instance.views;
  bytes.set(page, pageAt);
  const { distribution, distributionLength, stats, statsLength } = facets ?? NO_FACETS;
  const { offset } = AnswerEnd;
  // field by field: an object of all of them would be garbage
  const write = (at: number, value: number) => view.setUint32(end + at, value, true);
  view.setFloat64(end + offset.start, start, true);
  write(offset.query, queryAt);
  write(offset.queryLength, query.write(bytes, queryAt));
  write(offset.afterQuery, afterQuery.pointer);
  write(offset.afterQueryLength, afterQuery.length);
  write(offset.page, pageAt);
  write(offset.pageLength, page.length);
  write(offset.pages, pages ?? NO_PAGES);
  write(offset.total, total);
  write(offset.distribution, distribution);
  write(offset.distributionLength, distributionLength);
  write(offset.stats, stats);
  write(offset.statsLength, statsLength);
  write(offset.last, last.pointer);
  write(offset.lastLength, last.length);
  instance.exports.writeEnd(end, out.length);
  const written = instance.views;
  const text = written.view.getUint32(end + offset.text, true);
  out.slice(written.bytes, text, text + written.view.getUint32(end + offset.length, true));
}
