import fs from 'node:fs';
import { address } from '../../../bindings/engine/instance.js';
import { loadPlainEngine } from '../../../bindings/test/engine.js';

/** Makes a segment file look as if another version of the tokenizer had written it. */
export function age(file: string): void {
  const VERSION_AT = 20;
  const SECTIONS_AT = 16;
  const CHECKSUM_AT = 48;
  const HEADER_BYTES = 64;
  const SECTION_BYTES = 32;
  const bytes = fs.readFileSync(file);
  bytes.writeUInt32LE(bytes.readUInt32LE(VERSION_AT) - 1, VERSION_AT);
  bytes.writeUInt32LE(0, CHECKSUM_AT);
  const engine = loadPlainEngine();
  const sealed = bytes.subarray(0, HEADER_BYTES + bytes.readUInt32LE(SECTIONS_AT) * SECTION_BYTES);
  bytes.writeUInt32LE(address(engine.call('checksum32', engine.put(sealed), sealed.length)), CHECKSUM_AT);
  fs.writeFileSync(file, bytes);
}
