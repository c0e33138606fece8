import fs from 'node:fs';
import path from 'node:path';
import t, { type Test } from 'tap';
import {
  SECTION_DOC_IDS,
  SECTION_DOCUMENT_STARTS,
  SECTION_DOCUMENTS,
  SECTION_PIECES,
  SECTION_TERMS,
  SECTION_VECTOR_VALUES,
  SectionEntry,
  SegmentHeader,
} from '../../../bindings/engine/exports.js';
import { checkCommand, repairCommand } from '../../maintenance/commands.js';
import { startServer, type TestServer } from '../server.js';

const COUNT = 300;
/** Numbers of a document: enough that pieces are learned from the documents of an index. */
const NUMBERS = 1000;
const documents = (index: string) =>
  Array.from({ length: COUNT }, (_, id) => ({
    id,
    kind: id % 3,
    text: `common word${id % 7} ${index} ${'filler '.repeat(id % 20)}`,
    numbers: `${id} `.repeat(NUMBERS),
    _geo: { lat: id % 90, lng: id % 180 },
  }));

/** A stopped server over a folder with two indexes; some documents of the first are deleted. */
async function database(t: Test): Promise<{ server: TestServer; segment: string }> {
  const server = await startServer();
  t.teardown(() => server.close());
  for (const index of ['a', 'b']) {
    await server.task('PATCH', `/indexes/${index}/settings`, {
      filterableAttributes: ['kind', '_geo'],
      sortableAttributes: ['kind'],
    });
    await server.task('POST', `/indexes/${index}/documents`, documents(index));
  }
  await server.task('POST', '/indexes/a/documents/delete', { filter: 'kind = 1' });
  await server.stop();
  const [segment] = fs.readdirSync(path.join(server.folder, 'segments')).sort();
  return { server, segment: path.join(server.folder, 'segments', segment!) };
}

/** Sections whose damage makes documents unreadable. */
const WITH_DOCUMENTS: readonly number[] = [SECTION_DOC_IDS, SECTION_PIECES, SECTION_DOCUMENT_STARTS, SECTION_DOCUMENTS];

interface Section {
  kind: number;
  offset: number;
  length: number;
}

function sectionsOf(file: string): Section[] {
  const bytes = fs.readFileSync(file);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const { sectionCount } = SegmentHeader.read(view, 0);
  return Array.from({ length: sectionCount }, (_, i) => SectionEntry.read(view, SegmentHeader.bytes + i * SectionEntry.bytes));
}

function flip(file: string, at: number): void {
  const bytes = fs.readFileSync(file);
  bytes[at] = bytes[at]! ^ 0x55;
  fs.writeFileSync(file, bytes);
}

/** Hits of both indexes, or the code of the refusal. */
async function found(server: TestServer): Promise<unknown[]> {
  const answers = await Promise.all(
    ['a', 'b'].map((index) => server.call('POST', `/indexes/${index}/search`, { q: 'common', hitsPerPage: 1 })),
  );
  return answers.map(({ body }) => body.totalHits ?? body.code);
}

t.test('a changed byte in any section is reported by check, and repaired from the documents', async (t) => {
  const { server, segment } = await database(t);
  const { folder } = server;
  const copy = `${folder}-copy`;
  t.teardown(() => fs.rmSync(copy, { recursive: true, force: true }));
  fs.cpSync(folder, copy, { recursive: true });
  t.match(await checkCommand(folder), { sound: true, report: /is sound/ });

  const sections = sectionsOf(segment).filter(({ length }) => length > 0);
  t.ok(sections.length >= 9, `${sections.length} sections`);
  t.ok(sections.some(({ kind }) => kind === SECTION_PIECES));
  for (const { kind, offset, length } of sections) {
    flip(segment, offset + (length >> 1));
    const check = await checkCommand(folder);
    t.match(check, { sound: false, report: /index `a`, segment 1\.seg .*: its .* are damaged/ }, `section ${kind}`);
    t.notMatch(check.report, /`b`/);
    const repair = await repairCommand(folder);
    t.equal(repair.sound, true, `section ${kind}: sound after the repair`);
    const lost = WITH_DOCUMENTS.includes(kind);
    t.match(repair.report, lost ? /documents could not be read/ : /all documents are there/, `section ${kind}: ${repair.report}`);
    t.same(fs.readdirSync(path.join(folder, 'damaged')), ['1.seg'], 'the damaged file is kept');
    fs.rmSync(folder, { recursive: true });
    fs.cpSync(copy, folder, { recursive: true });
  }
});

t.test('repair keeps vectors that are not damaged', async (t) => {
  const server = await startServer();
  t.teardown(() => server.close());
  const embedders = { own: { source: 'userProvided', dimensions: 4 } };
  await server.task('PATCH', '/indexes/a/settings', { embedders, filterableAttributes: ['kind'] });
  const withVectors = documents('a').map((document) => ({
    ...document,
    _vectors: { own: [document.id, 1, document.id % 7, -1] },
  }));
  await server.task('POST', '/indexes/a/documents', withVectors);
  const ask = async () => {
    const search = { vector: [7, 1, 0, -1], hybrid: { embedder: 'own', semanticRatio: 1 }, retrieveVectors: true, limit: 5 };
    const { body } = await server.call('POST', '/indexes/a/search', search);
    const { body: stats } = await server.call('GET', '/indexes/a/stats');
    return { hits: body.hits, embeddings: [stats.numberOfEmbeddings, stats.numberOfEmbeddedDocuments] };
  };
  const before = await ask();
  t.same(before.embeddings, [COUNT, COUNT]);
  await server.stop();
  const folder = path.join(server.folder, 'segments');
  const newest = () =>
    path.join(folder, fs.readdirSync(folder).sort((a, b) => Number.parseInt(b, 10) - Number.parseInt(a, 10))[0]!);
  const damage = (kind: number) => {
    const { offset, length } = sectionsOf(newest()).find((section) => section.kind === kind)!;
    flip(newest(), offset + (length >> 1));
  };
  damage(SECTION_TERMS);
  t.match(await repairCommand(server.folder), { sound: true, report: /all documents are there$/m });
  await server.restart();
  t.same(await ask(), before, 'vectors are there and found');
  await server.stop();
  damage(SECTION_VECTOR_VALUES);
  t.match(await repairCommand(server.folder), {
    sound: true,
    report: /all documents are there; 300 of 300 vectors could not be read/,
  });
  await server.restart();
  t.match(await ask(), { embeddings: [0, 0] });
});

t.test('a damaged index reports it, and other indexes work', async (t) => {
  const { server, segment } = await database(t);
  const start = () => server.restart('--db-path', server.folder);
  await start();
  t.same(await found(server), [(COUNT * 2) / 3, COUNT]);
  await server.stop();
  const bytes = fs.readFileSync(segment);
  const losses: [what: string, lose: () => void][] = [
    ['a byte of the dictionary', () => flip(segment, sectionsOf(segment).find(({ kind }) => kind === 3)!.offset + 9)],
    ['a byte of the header', () => flip(segment, 9)],
    ['half of the file', () => fs.truncateSync(segment, bytes.length >> 1)],
    ['the last byte', () => fs.truncateSync(segment, bytes.length - 1)],
    ['the file', () => fs.rmSync(segment)],
  ];
  for (const [what, lose] of losses) {
    lose();
    await start();
    t.same(await found(server), ['io_error', COUNT], what);
    const { body } = await server.call('POST', '/indexes/a/search', { q: 'common' });
    t.match(await server.call('POST', '/indexes/a/search', { q: 'common', cursor: '' }), { body: { code: body.code } });
    t.match(body.message, /index `a` cannot be read: .*1\.seg.* `peregrine repair`/);
    t.match((await server.call('GET', '/indexes/a/stats')).body, { damage: /cannot be read/ }, 'statistics say so');
    t.equal((await server.call('GET', '/indexes/b/stats')).body.damage, undefined);
    const multi = await server.call('POST', '/multi-search', { queries: [{ indexUid: 'b', q: 'common' }, { indexUid: 'a' }] });
    t.equal(multi.body.code, 'io_error');
    t.match(await server.task('POST', '/indexes/a/documents', [{ id: 1 }]), { status: 'failed', error: { code: 'io_error' } });
    t.equal((await server.task('POST', '/indexes/b/documents', [{ id: 1, text: 'common' }])).status, 'succeeded');
    await server.stop();
    t.match((await checkCommand(server.folder)).report, /index `a`, segment 1\.seg/);
    fs.writeFileSync(segment, bytes);
  }
  flip(segment, sectionsOf(segment).find(({ kind }) => kind === 3)!.offset + 9);
  t.match(await repairCommand(server.folder), { sound: true, report: /all documents are there/ });
  await start();
  t.same(await found(server), [(COUNT * 2) / 3, COUNT], 'after a repair');
  const filtered = await server.call('POST', '/indexes/a/search', { filter: 'kind = 2', hitsPerPage: 1 });
  t.equal(filtered.body.totalHits, COUNT / 3);
  t.equal((await server.call('GET', '/indexes/a/stats')).body.numberOfDocuments, (COUNT * 2) / 3);
  await server.task('DELETE', '/indexes/a');
});

t.test('a damaged index can be deleted', async (t) => {
  const { server, segment } = await database(t);
  fs.rmSync(segment);
  await server.restart('--db-path', server.folder);
  t.equal((await server.task('DELETE', '/indexes/a')).status, 'succeeded');
  t.equal((await server.task('POST', '/indexes/a/documents', [{ id: 1, text: 'common' }])).status, 'succeeded');
  t.same((await found(server))[0], 1);
});

t.test('check and repair refuse a database that is in use', async (t) => {
  const server = await startServer();
  t.teardown(() => server.close());
  await t.rejects(checkCommand(server.folder), /is open in another process/);
  await t.rejects(repairCommand(server.folder), /is open in another process/);
  await t.rejects(checkCommand(path.join(server.folder, 'nowhere')), /There is no database/);
});
