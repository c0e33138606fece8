#!/usr/bin/env node
/**
 * Measures the engine's part of indexing on one thread: scanning a payload, building a segment, verifying it, and reading
 * documents back. Needs a built dist/.
 *   node bench/kernels/build-segment.mjs FILE.ndjson[.gz] [debian|movies|cities] [OUT.seg]
 */
import fs from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { SegmentBuilder } from '../../dist/bindings/engine/builder.js';
import { copyDocument } from '../../dist/bindings/engine/documents.js';
import { privateInstance } from '../../dist/bindings/engine/instance.js';
import { documentKey, scanDocuments } from '../../dist/bindings/engine/json.js';

const settings = {
  debian: {
    searchable: ['name', 'summary', 'description', 'tags'],
    columnsUnder: ['section', 'priority', 'size', 'installedSize', 'maintainer', 'tags', 'name'],
  },
  movies: {
    searchable: ['title', 'tagline', 'overview', 'genres', 'companies'],
    columnsUnder: ['genres', 'release_date', 'vote_average', 'language', 'popularity'],
  },
  cities: {
    searchable: ['name', 'altName', 'country'],
    columnsUnder: ['country', 'population', '_geo', 'featureCode', 'name'],
    geo: true,
  },
};

const [file, kind = 'debian', out] = process.argv.slice(2);
if (!file || !settings[kind]) {
  console.error('usage: build-segment.mjs FILE.ndjson[.gz] [debian|movies|cities] [OUT.seg]');
  process.exit(2);
}
const bytes = fs.readFileSync(file);
const payload = file.endsWith('.gz') ? gunzipSync(bytes) : bytes;
const megabytes = payload.length / 1e6;
const module = new WebAssembly.Module(fs.readFileSync(process.env.PEREGRINE_ENGINE ?? 'dist/engine/peregrine.plain.wasm'));

/** Runs a job and prints how long it took on the clock, and how much CPU time it used (what counts on a busy machine). */
function timed(name, job, size = megabytes) {
  const start = performance.now();
  const before = process.cpuUsage();
  const result = job();
  const { user, system } = process.cpuUsage(before);
  const seconds = (user + system) / 1e6;
  const clock = ((performance.now() - start) / 1000).toFixed(3);
  console.log(`${name.padEnd(20)} clock ${clock} s  CPU ${seconds.toFixed(3)} s  ${(size / seconds).toFixed(0)} MB/s`);
  return result;
}

const scanner = privateInstance(module);
const scanned = timed('scan', () => scanDocuments(scanner, payload, 'ndjson'));
const documents = Array.from({ length: scanned.count }, (_, i) => payload.subarray(scanned.starts[i], scanned.ends[i]));
const keys = timed('keys', () => documents.map((json) => documentKey(scanner, json, 'id').key));

const instance = privateInstance(module);
const builder = timed('add', () => {
  const made = new SegmentBuilder(instance, {
    fields: [],
    primaryKey: 'id',
    exactAttributes: [],
    disableOnNumbers: false,
    tokenizer: { stopWords: [], separatorTokens: [], nonSeparatorTokens: [], dictionary: [] },
    localized: [],
    columnPatterns: [],
    geo: false,
    ...settings[kind],
  });
  documents.forEach((json, i) => {
    made.add(i, keys[i], json);
  });
  return made;
});
const added = builder.memoryUsed;
const built = timed('finish', () => builder.finishInMemory());
const segment = Buffer.concat(built.pieces);
console.log(
  `documents ${built.docCount}  raw ${(built.rawBytes / 1e6).toFixed(1)} MB  file ${(built.fileLength / 1e6).toFixed(1)} MB  ` +
    `resident ${(built.residentLength / 1e6).toFixed(1)} MB  memory after adding ${(added / 1e6).toFixed(0)} MB, ` +
    `at the end ${(instance.memory.buffer.byteLength / 1e6).toFixed(0)} MB`,
);
const { SECTIONS } = await import('../../dist/host/index/section-kinds.js');
for (let i = 0; i < segment.readUInt32LE(16); i++) {
  const at = 64 + 32 * i;
  const length = Number(segment.readBigUInt64LE(at + 16));
  const { name } = SECTIONS.get(segment.readUInt32LE(at));
  console.log(
    `  ${name} ${name === 'column' ? builder.fields[segment.readUInt32LE(at + 4)] : ''} ${(length / 1e6).toFixed(2)} MB`,
  );
}
if (out) fs.writeFileSync(out, segment);

const reader = privateInstance(module);
const base = reader.put(segment.subarray(0, built.residentLength));
const valid = timed('verify', () => reader.exports.segmentVerify(base), built.residentLength / 1e6);
if (!valid) throw new Error('the segment is damaged');
const view = reader.exports.segmentOpen(base);
const source = { read: (offset, length, memory, at) => memory.set(segment.subarray(offset, offset + length), at) };
const stored = { id: 1, instance: reader, view, source };
timed('read all documents', () => {
  for (let i = 0; i < built.docCount; i++) copyDocument(stored, i);
});
const scattered = Array.from({ length: 20000 }, (_, i) => (i * 7919) % built.docCount);
const READS = 5;
timed(`read ${READS * scattered.length} scattered`, () => {
  for (let round = 0; round < READS; round++) for (const local of scattered) copyDocument(stored, local);
});
