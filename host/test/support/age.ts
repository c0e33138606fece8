import fs from 'node:fs';
import { SectionEntry, SegmentHeader } from '../../../bindings/engine/exports.js';
import { loadKernels } from '../../../bindings/test/engine.js';

/** Changes a segment file to one of another version of the tokenizer. */
export function age(file: string): void {
  const bytes = fs.readFileSync(file);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const header = SegmentHeader.read(view, 0);
  const aged = { ...header, tokenizerVersion: header.tokenizerVersion - 1, checksum: 0 };
  SegmentHeader.write(view, 0, aged);
  const engine = loadKernels();
  const sealed = bytes.subarray(0, SegmentHeader.bytes + header.sectionCount * SectionEntry.bytes);
  SegmentHeader.write(view, 0, { ...aged, checksum: engine.exports.checksum32(engine.put(sealed), sealed.length) });
  fs.writeFileSync(file, bytes);
}
