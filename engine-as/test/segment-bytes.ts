/** A section of the file, and the field that it belongs to. */
export interface Section {
  kind: number;
  field: number;
  offset: number;
  length: number;
}

/** The sections of a segment file, and the forms of numbers, texts and sets in them. */
export class SegmentBytes {
  readonly docCount: number;
  readonly residentLength: number;
  readonly fileLength: number;
  readonly sections: Section[] = [];
  readonly view: DataView;

  constructor(readonly bytes: Uint8Array) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (this.text(0, 4) !== 'PGSG') throw new Error('no segment');
    this.docCount = this.u32(8);
    this.residentLength = this.u64(24);
    this.fileLength = this.u64(32);
    for (let i = 0; i < this.u32(16); i++) {
      const at = 64 + 32 * i;
      const section = { kind: this.u32(at), field: this.u32(at + 4), offset: this.u64(at + 8), length: this.u64(at + 16) };
      if (section.offset % 16 !== 0) throw new Error(`section ${section.kind} is not aligned`);
      this.sections.push(section);
    }
  }

  u16(at: number): number {
    return this.view.getUint16(at, true);
  }

  u32(at: number): number {
    return this.view.getUint32(at, true);
  }

  u64(at: number): number {
    return Number(this.view.getBigUint64(at, true));
  }

  u32s(at: number, count: number): number[] {
    return Array.from({ length: count }, (_, i) => this.u32(at + 4 * i));
  }

  text(from: number, to: number): string {
    return new TextDecoder('utf-8', { fatal: true }).decode(this.bytes.slice(from, to));
  }

  texts(starts: number, bytes: number, count: number): string[] {
    return Array.from({ length: count }, (_, i) =>
      this.text(bytes + this.u32(starts + 4 * i), bytes + this.u32(starts + 4 * i + 4)),
    );
  }

  bits(at: number): number[] {
    return Array.from({ length: this.docCount }, (_, i) => i).filter(
      (i) => ((this.bytes[at + (i >> 3)] as number) >> (i & 7)) & 1,
    );
  }

  deltas(from: number, to: number): number[] {
    const numbers: number[] = [];
    let last = -1;
    let delta = 0;
    let shift = 0;
    for (let at = from; at < to; at++) {
      const byte = this.view.getUint8(at);
      delta += (byte & 127) << shift;
      shift += 7;
      if (byte >= 128) continue;
      last += delta;
      numbers.push(last);
      delta = 0;
      shift = 0;
    }
    return numbers;
  }

  section(kind: number, field = 0): Section {
    const found = this.sections.find((section) => section.kind === kind && section.field === field);
    if (!found) throw new Error(`no section ${kind} ${field}`);
    return found;
  }

  /** null: the section is left out. */
  optional(kind: number, field = 0): Section | null {
    return this.sections.find((section) => section.kind === kind && section.field === field) ?? null;
  }
}
