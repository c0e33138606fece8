import type { ByteWriter } from './byte-writer.js';
import type { PathNode } from './format-plan.js';
import type { HighlightMatch } from './match-finder.js';
import {
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  skipBlanks,
  skipString,
  skipValue,
  startsNumber,
} from './raw-json.js';
import { NONE, PART, WHOLE } from './selection.js';
import type { TextFormatter } from './text-formatter.js';

/**
 * Writes the retrieved members of a document, without the braces around them, and says whether there is any. Selected values are copied
 * as they stand. On the way to a nested path scalars are kept and other members go: `{"n": ["x", {"o": 1, "p": 2}, {"p": 3}]}` with
 * `n.o` gives `"n": ["x", {"o": 1}, {}]`.
 */
export function writeProjection(json: Uint8Array, node: PathNode, out: ByteWriter): void {
  if (node.retrieved !== NONE) projectMembers(json, skipBlanks(json, 0), node, out);
}

function projectMembers(json: Uint8Array, at: number, node: PathNode, out: ByteWriter): number {
  const start = out.length;
  let hint = 0;
  at = skipBlanks(json, at + 1);
  while (json[at] === QUOTE) {
    const nameEnd = skipString(json, at);
    const position = node.child(json, at + 1, nameEnd - 1, hint);
    hint = position + 1;
    const child = node.at(position);
    const value = skipBlanks(json, skipBlanks(json, nameEnd) + 1);
    if (child.retrieved === NONE) {
      at = skipValue(json, value);
    } else {
      if (out.length > start) out.byte(COMMA);
      out.slice(json, at, nameEnd);
      out.byte(COLON);
      at = projectValue(json, value, child, out);
    }
    at = nextItem(json, at);
  }
  return at + 1;
}

function projectValue(json: Uint8Array, at: number, node: PathNode, out: ByteWriter): number {
  const first = json[at];
  if (node.retrieved === PART && first === OPEN_OBJECT) {
    out.byte(OPEN_OBJECT);
    at = projectMembers(json, at, node, out);
    out.byte(CLOSE_OBJECT);
    return at;
  }
  if (node.retrieved === PART && first === OPEN_ARRAY) {
    out.byte(OPEN_ARRAY);
    at = skipBlanks(json, at + 1);
    for (let separate = false; json[at] !== CLOSE_ARRAY; separate = true) {
      if (separate) out.byte(COMMA);
      at = nextItem(json, projectValue(json, at, node, out));
    }
    out.byte(CLOSE_ARRAY);
    return at + 1;
  }
  const end = skipValue(json, at);
  out.slice(json, at, end);
  return end;
}

/** Where the next member or item begins, or the closing bracket. */
function nextItem(json: Uint8Array, at: number): number {
  at = skipBlanks(json, at);
  return json[at] === COMMA ? skipBlanks(json, at + 1) : at;
}

/** Receives the matches of a text: the path of its field and its places in the arrays around it, outermost first. */
export type MatchSink = (path: string, indices: readonly number[], matches: readonly HighlightMatch[]) => void;

/**
 * Walks the formatted members of a document: texts and numbers become formatted texts. Unlike a projection it drops scalars on the way to
 * a nested path, and what is left empty there.
 */
export class FormatWalker {
  readonly #indices: number[] = [];

  constructor(
    readonly formatter: TextFormatter,
    /** Also visits displayed fields that are not formatted. */
    readonly sink: MatchSink | null,
  ) {}

  /** Writes the object of formatted members to `out`, or only looks for matches when it is null. */
  document(json: Uint8Array, root: PathNode, out: ByteWriter | null): void {
    this.formatter.begin(json);
    out?.byte(OPEN_OBJECT);
    this.#members(json, skipBlanks(json, 0), root, out);
    out?.byte(CLOSE_OBJECT);
  }

  #members(json: Uint8Array, at: number, node: PathNode, out: ByteWriter | null): number {
    const start = out?.length ?? 0;
    let hint = 0;
    at = skipBlanks(json, at + 1);
    while (json[at] === QUOTE) {
      const nameEnd = skipString(json, at);
      const position = node.child(json, at + 1, nameEnd - 1, hint);
      hint = position + 1;
      const child = node.at(position);
      const value = skipBlanks(json, skipBlanks(json, nameEnd) + 1);
      const written = out !== null && child.formatted !== NONE ? out : null;
      if (written === null && (this.sink === null || child.displayed === NONE)) {
        at = nextItem(json, skipValue(json, value));
        continue;
      }
      const mark = written?.length ?? 0;
      if (written) {
        if (written.length > start) written.byte(COMMA);
        written.slice(json, at, nameEnd);
        written.byte(COLON);
      }
      const before = written?.length ?? 0;
      at = nextItem(json, this.#value(json, value, child, written));
      if (written && written.length === before) written.length = mark;
    }
    return at + 1;
  }

  /** Writes a value; writes nothing when nothing of it is selected. */
  #value(json: Uint8Array, at: number, node: PathNode, out: ByteWriter | null): number {
    const first = json[at] as number;
    if (first === OPEN_OBJECT || first === OPEN_ARRAY) return this.#nested(json, at, node, out);
    const end = skipValue(json, at);
    const written = node.formatted === WHOLE ? out : null;
    const collect = this.sink !== null && node.displayed === WHOLE;
    if (first === QUOTE || startsNumber(first)) {
      if (written || collect) {
        const matches = this.formatter.format(node, json, at, end, written, collect);
        if (collect && matches.length > 0) this.sink?.(node.path, this.#indices, matches);
      }
    } else {
      written?.slice(json, at, end);
    }
    return end;
  }

  #nested(json: Uint8Array, at: number, node: PathNode, out: ByteWriter | null): number {
    const mark = out?.length ?? 0;
    const isObject = json[at] === OPEN_OBJECT;
    out?.byte(isObject ? OPEN_OBJECT : OPEN_ARRAY);
    at = isObject ? this.#members(json, at, node, out) : this.#items(json, at, node, out);
    if (out === null) return at;
    if (out.length === mark + 1 && node.formatted === PART) out.length = mark;
    else out.byte(isObject ? CLOSE_OBJECT : CLOSE_ARRAY);
    return at;
  }

  #items(json: Uint8Array, at: number, node: PathNode, out: ByteWriter | null): number {
    const start = out?.length ?? 0;
    const depth = this.#indices.length;
    at = skipBlanks(json, at + 1);
    for (let index = 0; json[at] !== CLOSE_ARRAY; index++) {
      this.#indices[depth] = index;
      const mark = out?.length ?? 0;
      if (out && mark > start) out.byte(COMMA);
      const before = out?.length ?? 0;
      at = nextItem(json, this.#value(json, at, node, out));
      if (out && out.length === before) out.length = mark;
    }
    this.#indices.length = depth;
    return at + 1;
  }
}
