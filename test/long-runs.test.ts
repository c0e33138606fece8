import t from 'tap';
import { longRunLimit } from '../bindings/engine/builder-config.js';
import { SECTION_LONG_RUNS, SectionEntry, SegmentHeader } from '../bindings/engine/exports.js';
import { LocalIndex } from '../bindings/local-index.js';
import { type SeededRandom, seededRandom } from '../bindings/test/random.js';
import { EngineBench, type KeyedDocument } from './differential/engine-index.js';
import { completeSettings } from './oracle/settings.js';

/** Segments with the documents of long runs answer as segments without them, whose postings are read. */

const DOCUMENTS = 2500;
const NO_LIMIT = 0xffffffff;
/** See build/run-sets; with more the section is left out. */
const MAX_ATTRIBUTES = 64;
const QUERIES = [
  'a',
  'b',
  'c',
  'ab',
  'abc',
  'ba',
  'aa',
  'common',
  'com',
  'usual',
  'rare',
  'a b',
  'common b',
  'usual common',
  '"common usual" a',
];
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Few words start with the same letters, so there are runs of every share of the documents, down to lists of a few. */
function randomWord(random: SeededRandom): string {
  const kind = random.int(10);
  if (kind < 3) return 'common';
  if (kind < 4) return 'usual';
  if (kind < 5 && random.int(8) === 0) return 'rare';
  return Array.from({ length: 1 + random.int(4) }, () => random.pick(['a', 'b', 'c'])).join('');
}

/** Most documents have the first attribute, fewer and fewer the others. */
function randomDocument(random: SeededRandom, id: number, attributes: readonly string[]): KeyedDocument {
  const document: Record<string, unknown> = { id };
  for (const [k, attribute] of attributes.entries()) {
    if (random.int(k + 1) > 1) continue;
    document[attribute] = Array.from({ length: 1 + random.int(6) }, () => randomWord(random)).join(' ');
  }
  return { internalId: id, json: JSON.stringify(document) };
}

/** The kinds of the sections of a segment. */
function kindsOf(file: Uint8Array): number[] {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const { sectionCount } = SegmentHeader.read(view, 0);
  return Array.from(
    { length: sectionCount },
    (_, i) => SectionEntry.read(view, SegmentHeader.bytes + i * SectionEntry.bytes).kind,
  );
}

for (const count of [1, 4, 20, 70])
  t.test(`the documents of long runs in ${count} attributes are those of their postings`, async (t) => {
    const random = seededRandom(count);
    const attributes = Array.from({ length: count }, (_, k) => `field${k}`);
    const documents = Array.from({ length: DOCUMENTS }, (_, id) => randomDocument(random, id, attributes));
    const settings = completeSettings({ searchableAttributes: attributes });
    const bench = new EngineBench();
    const given = longRunLimit.postings;
    const build = (postings: number) => {
      longRunLimit.postings = postings;
      return bench.files(settings, documents, { segments: 1, memories: 1 });
    };
    const files = [build(1), build(NO_LIMIT)];
    longRunLimit.postings = given;
    const hasRuns = files.map(({ segments }) => segments.some(({ file }) => kindsOf(file).includes(SECTION_LONG_RUNS)));
    t.same(hasRuns, [count <= MAX_ATTRIBUTES, false]);
    const indexes = files.map((one) => new LocalIndex(bench.module, one));
    for (const q of QUERIES) {
      for (const searched of [undefined, attributes.slice(0, 1), attributes.slice(-2)]) {
        const body = { q, limit: 300, showRankingScoreDetails: true, ...(searched && { attributesToSearchOn: searched }) };
        const [stored, read] = indexes.map((index) => {
          const { hits, estimatedTotalHits } = JSON.parse(decoder.decode(index.search(encoder.encode(JSON.stringify(body)))));
          return { hits, estimatedTotalHits };
        });
        t.same(stored, read, JSON.stringify(body));
      }
    }
  });
