import t from 'tap';
import { addMember } from '../engine/bitmaps.js';
import { KEY_NONE, NONE, SegmentHeader, Source, Token } from '../engine/exports.js';
import { loadKernels } from './engine.js';

const engine = loadKernels();

t.test('structures are written and read with fields of every width', async (t) => {
  const sources = [
    { view: 0xfffffff0, base: 128, from: 1, to: 2, within: 0 },
    { view: 16, base: 0, from: NONE, to: 0, within: 32 },
  ];
  const token = {
    start: 1,
    end: 2,
    lemma: 3,
    lemmaLength: 4,
    map: 5,
    mapLength: 6,
    kind: 7,
    script: 255,
    language: 9,
    reserved: 0,
  };
  engine.scoped(() => {
    const at = engine.putStructures(Source, sources);
    t.same([engine.read(Source, at), engine.read(Source, at + Source.bytes)], sources);
    t.same(engine.u32(at, 5), Uint32Array.of(0xfffffff0, 128, 1, 2, 0));
    t.same(engine.read(Token, engine.putStructures(Token, [token])), token);
    const header = engine.read(SegmentHeader, engine.allocZeroed(SegmentHeader.bytes));
    const large = { ...header, fileLength: 2 ** 40 + 3 };
    t.same(engine.read(SegmentHeader, engine.putStructures(SegmentHeader, [large])), large);
  });
});

t.test('results are converted to unsigned numbers and booleans', async (t) => {
  engine.scoped(() => {
    const checksums = Array.from({ length: 64 }, (_, byte) => engine.exports.checksum32(engine.put(Uint8Array.of(byte)), 1));
    t.ok(checksums.every((checksum) => checksum >= 0));
    t.ok(checksums.some((checksum) => checksum > 0x7fffffff));
    t.equal(KEY_NONE, 0xffffffff);
    const bitmap = engine.allocZeroed(16);
    addMember(engine, bitmap, 9);
    t.equal(engine.exports.bitmapHas(bitmap, 9), true);
    t.equal(engine.exports.bitmapHas(bitmap, 8), false);
  });
});
