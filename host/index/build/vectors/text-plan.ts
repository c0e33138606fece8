import { NumbersReader, NumbersWriter } from './numbers-file.js';

/** A text of a document, as one thread plans it and another one uses it. */
export interface PlannedText {
  /** Number of the fragment; 0 for a document template. */
  ordinal: number;
  /** Number of the text among those that are embedded; null: the stored vector is kept. */
  text: number | null;
}

/** Stands for a list that is absent. */
const NOTHING = 0xffffffff;
/** Stands for the number of a text whose stored vector is kept. */
const KEPT = 0xffffffff;

/** Two files: the lists, and where the list of each document and embedder begins. */
const filesOf = (file: string) => ({ lists: `${file}-lists`, starts: `${file}-starts` });

/**
 * Writes which texts of which documents are embedded. So documents are rendered once, when their texts are collected, and not
 * again when they are built. Both jobs go through the documents in the same order, which numbers them.
 */
export class TextPlanWriter {
  readonly #lists: NumbersWriter;
  readonly #starts: NumbersWriter;

  /** @param embedders number of embedders */
  constructor(
    file: string,
    private readonly embedders: number,
  ) {
    const { lists, starts } = filesOf(file);
    this.#lists = new NumbersWriter(lists);
    this.#starts = new NumbersWriter(starts);
  }

  /** Begins a document: a list for each embedder follows. @param document numbers must ascend */
  begin(document: number): void {
    while (this.#starts.count < document * this.embedders) this.#starts.push(NOTHING);
  }

  /** Begins the list of the next embedder; its texts follow. @param length null: nothing changes there */
  list(length: number | null): void {
    this.#starts.push(length === null ? NOTHING : this.#lists.count);
    if (length !== null) this.#lists.push(length);
  }

  /** @param ordinal and text: see {@link PlannedText} */
  text(ordinal: number, text: number | null): void {
    this.#lists.push(ordinal);
    this.#lists.push(text ?? KEPT);
  }

  close(): void {
    this.#lists.close();
    this.#starts.close();
  }
}

export class TextPlan {
  readonly #lists: NumbersReader;
  readonly #starts: NumbersReader;

  constructor(
    file: string,
    private readonly embedders: number,
  ) {
    const { lists, starts } = filesOf(file);
    this.#lists = new NumbersReader(lists);
    this.#starts = new NumbersReader(starts);
  }

  /** The texts of a document by the number of an embedder; null: nothing changes. */
  texts(document: number, embedder: number): PlannedText[] | null {
    const start = this.#starts.at(document * this.embedders + embedder) ?? NOTHING;
    if (start === NOTHING) return null;
    const read = (position: number) => this.#lists.at(position) as number;
    return Array.from({ length: read(start) }, (_, index) => {
      const at = start + 1 + 2 * index;
      const text = read(at + 1);
      return { ordinal: read(at), text: text === KEPT ? null : text };
    });
  }

  close(): void {
    this.#lists.close();
    this.#starts.close();
  }
}
