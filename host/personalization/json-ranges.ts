/** Byte ranges of values in well-formed JSON, so that values can be moved without being parsed and printed again. */
export interface JsonRange {
  from: number;
  /** Exclusive. */
  to: number;
}

export interface JsonMember {
  name: string;
  /** The member with its name. */
  whole: JsonRange;
  value: JsonRange;
}

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);
const BLANKS = new Set([0x20, 0x09, 0x0a, 0x0d]);

/** The members of the object that begins at `at`. */
export function membersOf(bytes: Uint8Array, at = skipBlanks(bytes, 0)): JsonMember[] {
  const members: JsonMember[] = [];
  for (const { from, to } of parts(bytes, at)) {
    const end = valueEnd(bytes, from);
    const name = JSON.parse(Buffer.from(bytes.subarray(from, end)).toString()) as string;
    const colon = bytes.indexOf(COLON, end);
    members.push({ name, whole: { from, to }, value: { from: skipBlanks(bytes, colon + 1), to } });
  }
  return members;
}

/** The items of the array that begins at `at`. */
export function itemsOf(bytes: Uint8Array, at: number): JsonRange[] {
  return [...parts(bytes, at)];
}

/** An object without some of its members. */
export function withoutMembers(bytes: Uint8Array, names: ReadonlySet<string>): Buffer {
  const kept = membersOf(bytes).filter(({ name }) => !names.has(name));
  const parts = kept.flatMap(({ whole }, place) => [place === 0 ? '' : ',', bytes.subarray(whole.from, whole.to)]);
  return Buffer.concat(['{', ...parts, '}'].map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
}

/** The ranges between the commas of the container that begins at `at`. */
function* parts(bytes: Uint8Array, at: number): Generator<JsonRange> {
  let from = skipBlanks(bytes, at + 1);
  while (!CLOSING.has(bytes[from] as number)) {
    let to = from;
    let end = from;
    while (bytes[end] !== COMMA && !CLOSING.has(bytes[end] as number)) {
      to = bytes[end] === COLON ? end + 1 : valueEnd(bytes, end);
      end = skipBlanks(bytes, to);
    }
    yield { from, to };
    from = bytes[end] === COMMA ? skipBlanks(bytes, end + 1) : end;
  }
}

/** The offset after the value that begins at `at`. */
function valueEnd(bytes: Uint8Array, at: number): number {
  if (bytes[at] === QUOTE) return stringEnd(bytes, at);
  if (!OPENING.has(bytes[at] as number)) {
    let end = at;
    while (!isEnd(bytes[end])) end++;
    return end;
  }
  let depth = 0;
  for (let i = at; ; i++) {
    const byte = bytes[i] as number;
    if (byte === QUOTE) i = stringEnd(bytes, i) - 1;
    else if (OPENING.has(byte)) depth++;
    else if (CLOSING.has(byte) && --depth === 0) return i + 1;
  }
}

function isEnd(byte: number | undefined): boolean {
  return byte === undefined || byte === COMMA || byte === COLON || CLOSING.has(byte) || BLANKS.has(byte);
}

function stringEnd(bytes: Uint8Array, at: number): number {
  let end = at + 1;
  while (bytes[end] !== QUOTE) end += bytes[end] === BACKSLASH ? 2 : 1;
  return end + 1;
}

function skipBlanks(bytes: Uint8Array, at: number): number {
  let i = at;
  while (BLANKS.has(bytes[i] as number)) i++;
  return i;
}
