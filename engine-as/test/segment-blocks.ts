import type { SegmentBytes } from './segment-bytes.js';

const MATCH_LEAST = 4;
/** Zeros after the sample. */
const SAMPLE_SPARE = 16;

const SLOT_BYTES = 4;
const FIRST_SLOT = 32;
const COPIED_LEAST = 4;

/** The documents of a segment file, read by FORMAT.md alone (sections 8, 9, 21, 24 and 25). */
export function storedDocuments(file: SegmentBytes): string[] {
  return file.sections.some(({ kind }) => kind === 24) ? codedDocuments(file) : documentsInBlocks(file);
}

function codedDocuments(file: SegmentBytes): string[] {
  const table = file.section(24).offset;
  const starts = file.section(25);
  const { offset } = file.section(9);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  return Array.from({ length: starts.length / 4 - 1 }, (_, i) => {
    const out: number[] = [];
    const place = (code: number) => offset + 2 * code;
    const start = (document: number) => place(file.u32(starts.offset + 4 * document));
    const putPiece = (code: number) => {
      if (code < FIRST_SLOT) throw new Error('a copy of something else than pieces');
      const at = table + SLOT_BYTES * code;
      out.push(...file.bytes.subarray(at + 1, at + 1 + (file.bytes[at] as number)));
    };
    for (let at = start(i); at < start(i + 1); at += 2) {
      const code = file.u16(at);
      if (code >= FIRST_SLOT) {
        putPiece(code);
        continue;
      }
      const operand = file.u16(at + 2);
      if (code === 0) out.push(...file.bytes.subarray(at + 4, at + 4 + operand));
      else for (let k = 0; k < code - 1 + COPIED_LEAST; k++) putPiece(file.u16(at - 2 * operand + 2 * k));
      at += code === 0 ? 2 + 2 * Math.ceil(operand / 2) : 2;
    }
    return decoder.decode(Uint8Array.from(out));
  });
}

function documentsInBlocks(file: SegmentBytes): string[] {
  const at = file.section(8).offset;
  const blockCount = file.u32(at);
  const [firstDocs, starts, raw] = [at + file.u32(at + 4), at + file.u32(at + 8), at + file.u32(at + 12)];
  const documents = file.section(9).offset;
  const held = file.sections.find(({ kind }) => kind === 21);
  const sample = held ? file.bytes.subarray(held.offset, held.offset + held.length - SAMPLE_SPARE) : new Uint8Array(0);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  return Array.from({ length: blockCount }, (_, block) => {
    const from = documents + file.u64(starts + 8 * block);
    const to = documents + file.u64(starts + 8 * block + 8);
    const text = decompressed(file.bytes.subarray(from, to), sample, file.u32(raw + 4 * block));
    const view = new DataView(text.buffer, text.byteOffset);
    const count = file.u32(firstDocs + 4 * block + 4) - file.u32(firstDocs + 4 * block);
    return Array.from({ length: count }, (_, i) =>
      decoder.decode(text.subarray(view.getUint32(4 * i, true), view.getUint32(4 * i + 4, true))),
    );
  }).flat();
}

/** A block of `rawLength` bytes. */
function decompressed(packed: Uint8Array, sample: Uint8Array, rawLength: number): Uint8Array {
  const out = new Uint8Array(sample.length + rawLength);
  out.set(sample);
  let to = sample.length;
  let at = 0;
  const length = (nibble: number): number => {
    let sum = nibble;
    for (let more = nibble === 15 ? 255 : 0; more === 255; sum += more) more = packed[at++] as number;
    return sum;
  };
  for (;;) {
    const token = packed[at++] as number;
    for (let left = length(token >> 4); left > 0; left--) out[to++] = packed[at++] as number;
    if (at === packed.length) break;
    const distance = (packed[at] as number) | ((packed[at + 1] as number) << 8);
    at += 2;
    const matched = length(token & 15) + MATCH_LEAST;
    const isInSample = to - distance < sample.length;
    if (isInSample && to - distance + matched > sample.length) throw new Error('a match reaches from the sample into the block');
    for (let left = matched; left > 0; left--, to++) out[to] = out[to - distance] as number;
  }
  if (to !== out.length) throw new Error(`a block of ${to - sample.length} bytes`);
  return out.subarray(sample.length);
}
