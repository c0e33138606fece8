import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { SegmentHeader } from '../bindings/engine/exports.js';
import { isOutdated } from '../bindings/engine/segment-arrays.js';
import { LocalIndex } from '../bindings/local-index.js';
import { loadKernels, plainModule } from '../bindings/test/engine.js';
import { EngineBench } from './differential/engine-index.js';
import { completeSettings } from './oracle/settings.js';

/** Segments of older revisions: 40 documents of a few words. */
const OLD_REVISIONS = [0, 3, 4, 5, 6, 8];
const oldSegment = (name: string) => path.resolve(import.meta.dirname, `../../test/data/${name}.segment`);
const FIELDS = ['id', 'title', 'text', 'tags'];
const QUERIES = [
  'l',
  'li',
  'sea',
  'the s',
  'the light h',
  'light house',
  'lighthouse',
  '"at the"',
  'stormi night',
  'keeper of the lam',
  'a b',
  '',
];

const settings = completeSettings({ searchableAttributes: ['title', 'text', 'tags'] });
const encoder = new TextEncoder();
const decoder = new TextDecoder();

interface Answer {
  hits: { id: number; notes?: string }[];
  facetDistribution?: object;
  facetStats?: object;
}

const SENTENCES = [
  'The keeper lights the lamp at dusk.',
  'Ships pass the cape in fog and storm.',
  'A boat brings oil, bread and letters.',
  'Gulls nest on the northern cliff.',
  'The glass is cleaned every morning.',
  'Nobody counts the steps of the tower.',
  'In winter the harbour is closed by ice — “for weeks”.',
];

/** What documents of version 2 have in `notes`: about 32 KB each. */
function notesOf(id: number): string {
  return Array.from({ length: 800 }, (_, at) => SENTENCES[(id + at * (1 + (id % 3))) % SENTENCES.length]).join(' ');
}

function ask(index: LocalIndex, q: string, rest: object = {}): Answer {
  return JSON.parse(decoder.decode(index.search(encoder.encode(JSON.stringify({ q, limit: 100, ...rest })))));
}

for (const revision of OLD_REVISIONS)
  t.test(`segments of revision ${revision} give the same answers, and count as outdated`, async (t) => {
    const file = new Uint8Array(fs.readFileSync(oldSegment(`revision-${revision}`)));
    const old = new LocalIndex(plainModule(), { uid: 'old', primaryKey: 'id', settings, fields: FIELDS, segments: [{ file }] });
    const documents = ask(old, '').hits.map((document) => ({ internalId: document.id, json: JSON.stringify(document) }));
    t.equal(documents.length, 40);
    const bench = new EngineBench();
    const files = bench.files(settings, documents, { segments: 1, memories: 1 });
    t.same(files.fields, FIELDS);
    const built = new LocalIndex(plainModule(), files);
    for (const q of QUERIES) {
      for (const rest of [{}, { showRankingScoreDetails: true }, { attributesToSearchOn: ['text'], matchingStrategy: 'all' }]) {
        t.same(ask(old, q, rest).hits, ask(built, q, rest).hits, `"${q}" ${JSON.stringify(rest)}`);
      }
    }
    const engine = loadKernels();
    t.equal(isOutdated(engine.read(SegmentHeader, engine.put(file))), true);
    t.equal(isOutdated(engine.read(SegmentHeader, engine.put(files.segments[0]?.file as Uint8Array))), false);
  });

/**
 * Segments of older versions: ordinals of columns have 4 bytes in version 1; in version 2, blocks of documents refer to a sample, as there is more
 * than 1 MiB of documents.
 */
const OLD_VERSIONS = [
  { name: 'version-1', fields: FIELDS },
  { name: 'version-2', fields: [...FIELDS, 'notes'] },
];
const COLUMN_REQUESTS = [
  { sort: ['id:desc'] },
  { sort: ['title:asc'] },
  { filter: 'id > 7 AND id <= 31' },
  { filter: 'tags = "season a" OR id = 3' },
  { filter: 'title >= "h" AND title < "s"', sort: ['title:desc'] },
  { facets: ['id', 'title', 'tags'] },
  { filter: 'id < 20', facets: ['title', 'tags'] },
  { distinct: 'title' },
];

for (const { name, fields } of OLD_VERSIONS)
  t.test(`columns and documents of ${name} give the same answers, and count as outdated`, async (t) => {
    const columns = { filterableAttributes: ['id', 'title', 'tags'], sortableAttributes: ['id', 'title'] };
    const settings = completeSettings({ searchableAttributes: ['title', 'text', 'tags'], ...columns });
    const file = new Uint8Array(fs.readFileSync(oldSegment(name)));
    const old = new LocalIndex(plainModule(), { uid: 'old', primaryKey: 'id', settings, fields, segments: [{ file }] });
    const documents = ask(old, '').hits.map((document) => ({ internalId: document.id, json: JSON.stringify(document) }));
    t.equal(documents.length, 40);
    for (const { id, notes } of ask(old, '').hits)
      if (fields.includes('notes') && notes !== notesOf(id)) t.fail(`notes of ${id}`);
    const built = new LocalIndex(plainModule(), new EngineBench().files(settings, documents, { segments: 1, memories: 1 }));
    for (const q of ['', 'l', 'the s']) {
      for (const request of COLUMN_REQUESTS) {
        const parts = ({ hits, facetDistribution, facetStats }: Answer) => ({ hits, facetDistribution, facetStats });
        t.same(parts(ask(old, q, request)), parts(ask(built, q, request)), `"${q}" ${JSON.stringify(request)}`);
      }
    }
    const engine = loadKernels();
    t.equal(isOutdated(engine.read(SegmentHeader, engine.put(file))), true);
  });
