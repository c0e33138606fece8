import type { EngineInstance } from '../engine/instance.js';
import type { IndexSettings } from '../index-types.js';
import type { ByteWriter } from './byte-writer.js';
import { cropWindow, type Window } from './crop.js';
import type { PathNode } from './format-plan.js';
import { type HighlightMatch, MatchFinder, NO_MATCHES } from './match-finder.js';
import { hasEscape, QUOTE, unescapeInto } from './raw-json.js';
import type { TermMatcher } from './term-matcher.js';

/** What is inserted into texts: insides of JSON strings. */
export interface Insertions {
  preTag: Uint8Array;
  postTag: Uint8Array;
  marker: Uint8Array;
}

/** Writes texts highlighted and cropped. It lives in one scratch scope of its instance. */
export class TextFormatter {
  readonly #finder: MatchFinder;
  /** The text as bytes: of the document, or free of escapes; and its address in the engine. */
  #source: Uint8Array = new Uint8Array(0);
  #from = 0;
  #length = 0;
  #escaped = false;
  #text = 0;
  #unescaped = new Uint8Array(4096);
  /** Where the engine has the document. */
  #document = 0;
  #documentCapacity = 0;

  constructor(
    readonly instance: EngineInstance,
    settings: IndexSettings,
    readonly matcher: TermMatcher,
    readonly insertions: Insertions,
  ) {
    this.#finder = new MatchFinder(instance, settings, matcher);
  }

  /** Says which document the next texts are of. */
  begin(json: Uint8Array): void {
    if (json.length > this.#documentCapacity) {
      this.#documentCapacity = json.length * 2;
      this.#document = this.instance.alloc(this.#documentCapacity);
    }
    this.instance.bytes.set(json, this.#document);
  }

  /**
   * Writes a text or number of the document to `out`, if given: in quotes, highlighted and cropped.
   * @param from, to the value in the JSON
   * @param collect whether the caller wants the matches
   * @returns the matches of the whole text, ascending; none when they were not looked for
   */
  format(
    node: PathNode,
    json: Uint8Array,
    from: number,
    to: number,
    out: ByteWriter | null,
    collect: boolean,
  ): readonly HighlightMatch[] {
    const isText = json[from] === QUOTE;
    const start = isText ? from + 1 : from;
    const end = isText ? to - 1 : to;
    // a text has at most as many words as bytes
    const crop = isText && out !== null && end - start >= node.crop ? node.crop : 0;
    const matching = !this.matcher.empty && (collect || crop > 0 || (out !== null && node.highlight));
    out?.byte(QUOTE);
    let matches = NO_MATCHES;
    if (matching || crop > 0) {
      this.#finder.prepare(node);
      const mark = this.instance.exports.arenaMark();
      this.#load(json, start, end);
      matches = this.#finder.find(this.#text, this.#length, crop > 0);
      if (out) this.#write(node, matches, crop, out);
      this.instance.exports.arenaReset(mark);
    } else {
      out?.slice(json, start, end);
    }
    out?.byte(QUOTE);
    return matches;
  }

  #load(json: Uint8Array, from: number, to: number): void {
    this.#escaped = hasEscape(json, from, to);
    if (!this.#escaped) {
      this.#source = json;
      this.#from = from;
      this.#length = to - from;
      this.#text = this.#document + from;
      return;
    }
    if (this.#unescaped.length < to - from) this.#unescaped = new Uint8Array((to - from) * 2);
    this.#source = this.#unescaped;
    this.#from = 0;
    this.#length = unescapeInto(json, from, to, this.#unescaped);
    this.#text = this.instance.alloc(this.#length);
    this.instance.bytes.set(this.#unescaped.subarray(0, this.#length), this.#text);
  }

  #write(node: PathNode, matches: readonly HighlightMatch[], crop: number, out: ByteWriter): void {
    const { from, to } = this.#window(matches, crop);
    const { preTag, postTag, marker } = this.insertions;
    if (from > 0) out.all(marker);
    let at = from;
    for (const match of node.highlight ? matches : NO_MATCHES) {
      const start = Math.max(match.from, from);
      const end = Math.min(match.to, to);
      if (start >= end) continue;
      this.#copy(at, start, out);
      out.all(preTag);
      this.#copy(start, end, out);
      out.all(postTag);
      at = end;
    }
    this.#copy(at, to, out);
    if (to < this.#length) out.all(marker);
  }

  #copy(from: number, to: number, out: ByteWriter): void {
    if (this.#escaped) out.escaped(this.#source, from, to);
    else out.slice(this.#source, this.#from + from, this.#from + to);
  }

  #window(matches: readonly HighlightMatch[], crop: number): Window {
    if (crop === 0 || this.#finder.wordCount < crop) return { from: 0, to: this.#length };
    // stop words stand for no query word: they do not choose the window
    const choosing = matches.filter(({ ids }) => ids.length > 0);
    return cropWindow(this.#finder.tokens(), this.#length, choosing, crop);
  }
}
