import t from 'tap';
import { SegmentBuilder } from '../../bindings/engine/builder.js';
import { PLAIN_CONFIG } from '../../bindings/test/builder-config.js';
import { seededRandom } from '../../bindings/test/random.js';
import { engine, SEED } from './segment-support.js';

const PAGE_BYTES = 1 << 18;

t.test('the pieces of a file are its sections in order, then its header, whatever their lengths', async (t) => {
  const random = seededRandom(SEED);
  for (const documents of [0, 1, 40, 3000]) {
    const builder = new SegmentBuilder(engine, { ...PLAIN_CONFIG, columnPatterns: ['*'] });
    for (let id = 0; id < documents; id++) {
      const words = Array.from({ length: random.int(80) }, () => random.int(20_000).toString(36));
      builder.add(id, Buffer.from(`${id}`), Buffer.from(JSON.stringify({ id, text: words.join(' '), size: random.int(1000) })));
    }
    const pieces: { offset: number; bytes: Uint8Array }[] = [];
    const { fileLength, residentLength } = builder.finish((bytes, offset) => pieces.push({ offset, bytes: bytes.slice() }));
    const header = pieces.pop()!;
    t.equal(header.offset, 0, 'the header is last');
    let end = header.bytes.length;
    for (const { offset, bytes } of pieces) {
      t.equal(offset, end, 'each piece follows the one before');
      t.ok(bytes.length <= PAGE_BYTES);
      end += bytes.length;
    }
    t.equal(end, fileLength);
    const file = Buffer.concat([header, ...pieces].map(({ bytes }) => bytes));
    engine.scoped(() => {
      const verified = (bytes: Uint8Array) => {
        return Boolean(engine.exports.segmentVerify(engine.put(bytes)));
      };
      const resident = file.subarray(0, residentLength);
      t.ok(verified(resident), `${documents} documents: checksums of ${pieces.length} pieces`);
      const damaged = Uint8Array.from(resident);
      if (documents > 1000) {
        const at = header.bytes.length + PAGE_BYTES + random.int(PAGE_BYTES);
        damaged[at] = (damaged[at] as number) ^ 1;
        t.notOk(verified(damaged) && isInSection(resident, at), `damage at ${at} of the second page is found`);
      }
    });
    if (documents > 1000) t.ok(pieces.length > 4, `${pieces.length} pieces`);
  }
});

/** Whether a byte belongs to a section, and is not between two of them. */
function isInSection(file: Uint8Array, at: number): boolean {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  return Array.from({ length: view.getUint32(16, true) }, (_, index) => 64 + 32 * index).some((entry) => {
    const offset = Number(view.getBigUint64(entry + 8, true));
    return at >= offset && at < offset + Number(view.getBigUint64(entry + 16, true));
  });
}
