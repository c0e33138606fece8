import * as engine from '../engine/exports.js';
import type { EngineInstance } from '../engine/instance.js';
import { createTokenizer } from '../engine/tokenizer.js';
import { mostBytes, writeText } from '../engine/utf8.js';
import { type IndexSettings, tokenizerConfig } from '../index-types.js';
import type { ByteWriter } from './byte-writer.js';
import type { FormatPlan } from './format-plan.js';
import { type MatchTerms, NO_MATCH_TERMS } from './match-terms.js';
import { RecordWriter } from './record-writer.js';
import { encodeTerms } from './term-records.js';

/** How the hits of a request look. */
export interface HitForm {
  plan: FormatPlan;
  /** Hits have `_vectors`, as their documents hold them. */
  vectors: boolean;
  /** What `_formatted` and `_matchesPosition` need; without it there is neither. */
  matching?: {
    settings: IndexSettings;
    terms: MatchTerms;
    /** Hits have `_matchesPosition`. */
    positions: boolean;
    highlightPreTag: string;
    highlightPostTag: string;
    cropMarker: string;
  };
}

/** Documents are handed to the engine in batches of so many bytes, with the other members of their hits… */
const BATCH_BYTES = 1 << 16;
/** …and of so many hits. */
const BATCH_HITS = 128;
/** Where documents begin: copies are fastest so. */
const ALIGNMENT = 16;

const COMMA = 0x2c;

/** Writes hits by the engine, as items of a JSON array. It lives in one scratch scope of its instance. */
export class HitWriter {
  readonly #terms: MatchTerms;
  readonly #writer: engine.HitWriter;
  readonly #records: number;
  readonly #room: number;
  #used = 0;
  #count = 0;
  #begun = false;

  constructor(
    readonly out: ByteWriter,
    readonly instance: EngineInstance,
    readonly form: HitForm,
    /** Bytes of a batch. */
    readonly capacity = BATCH_BYTES,
  ) {
    const { matching } = form;
    this.#terms = matching?.terms ?? NO_MATCH_TERMS;
    const tokenizer = matching
      ? // texts are shown cut as they were indexed, but without stop words
        createTokenizer(instance, { ...tokenizerConfig(matching.settings), stopWords: [] })
      : 0;
    const plan = instance.put(form.plan.bytes) as engine.FormatPlan;
    const options = instance.put(form.matching || form.vectors ? encodeOptions(form) : NO_OPTIONS) as engine.HitOptions;
    const terms = (matching ? instance.put(encodeTerms(matching.terms)) : 0) as engine.MatchTerms;
    this.#writer = instance.exports.hitWriterCreate(plan, options, terms, tokenizer);
    this.#records = instance.alloc(BATCH_HITS * engine.HitRecord.bytes);
    this.#room = instance.alloc(capacity);
  }

  /**
   * Adds a hit.
   * @param json its document, which is copied
   * @param members other members: JSON without braces
   */
  hit(json: Uint8Array, members = ''): void {
    const { instance } = this;
    const needed = json.length + mostBytes(members) + ALIGNMENT;
    if (this.#count === BATCH_HITS || this.#used + needed > this.capacity) {
      // a document in the memory of the engine is out of reach when that grows
      const copy = json.slice();
      this.#writeBatch();
      if (needed > this.capacity) this.#writeAlone(copy, members, needed);
      else this.hit(copy, members);
      return;
    }
    const document = this.#room + this.#used;
    const membersAt = document + json.length;
    const { bytes, view } = instance;
    bytes.set(json, document);
    const membersLength = members === '' ? 0 : writeText(members, bytes, membersAt);
    const record = this.#records + this.#count * engine.HitRecord.bytes;
    engine.HitRecord.write(view, record, { document, documentLength: json.length, members: membersAt, membersLength });
    this.#used += Math.ceil((json.length + membersLength) / ALIGNMENT) * ALIGNMENT;
    this.#count++;
  }

  /** Writes what is left. */
  end(): void {
    this.#writeBatch();
  }

  /** Writes a long hit by a writer of its own, whose scratch is released at once. */
  #writeAlone(json: Uint8Array, members: string, needed: number): void {
    const { out, instance, form } = this;
    this.#separate();
    instance.scoped(() => {
      const alone = new HitWriter(out, instance, form, needed);
      alone.hit(json, members);
      alone.end();
    });
  }

  #separate(): void {
    if (this.#begun) this.out.byte(COMMA);
    this.#begun = true;
  }

  #writeBatch(): void {
    if (this.#count === 0) return;
    const { instance, out } = this;
    const write = () => instance.exports.hitsWrite(this.#writer, this.#records, this.#count);
    let length = write();
    if (this.#terms.indexed !== null && this.#answerAskedWords(this.#terms.indexed)) length = write();
    const at = instance.exports.hitsWritten(this.#writer);
    this.#separate();
    out.slice(instance.bytes, at, at + length);
    this.#count = 0;
    this.#used = 0;
  }

  /** Tells the engine which words are in the index, and answers whether there were any that it had to ask about. */
  #answerAskedWords(indexed: (word: string) => boolean): boolean {
    const { instance } = this;
    const { askedWord, askedWordLength, answerAskedWord } = instance.exports;
    for (let any = false; ; any = true) {
      const at = askedWord(this.#writer);
      if (at === 0) return any;
      answerAskedWord(this.#writer, indexed(instance.text(at, askedWordLength(this.#writer))));
    }
  }
}

/** Nothing but what is retrieved. */
const NO_OPTIONS = new Uint8Array(engine.HitOptions.bytes);

function encodeOptions({ vectors, matching }: HitForm): Uint8Array {
  const options = new RecordWriter(engine.HitOptions.bytes);
  const preTag = options.text(insideOfString(matching?.highlightPreTag ?? ''));
  const postTag = options.text(insideOfString(matching?.highlightPostTag ?? ''));
  const marker = options.text(insideOfString(matching?.cropMarker ?? ''));
  options.put(engine.HitOptions, {
    vectors: Number(vectors),
    positions: Number(matching?.positions ?? false),
    preTag: preTag.at,
    preTagLength: preTag.length,
    postTag: postTag.at,
    postTagLength: postTag.length,
    marker: marker.at,
    markerLength: marker.length,
  });
  return options.finish();
}

/** A text as the inside of a JSON string. */
function insideOfString(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
