import { readTrie } from './naive-segmenters.js';

interface Entry {
  row: number;
  column: number;
  cost: number;
}

const CATEGORY_NONE = 255;

/** Costs of words and neighbours as packed by engine-as/tools/build-lattice-dictionary.mjs, and a naive segmentation with them. */
export class NaiveLattice {
  readonly words = new Map<string, Entry[]>();
  readonly #matrix: Int16Array;
  readonly #columns: number;
  readonly #endRow: number;
  readonly #startColumn: number;
  readonly #unknown: { entries: Entry[]; always: boolean; runs: boolean }[];
  readonly #categoriesOf: (character: string) => number[];
  readonly #longest: number;

  constructor(bytes: Uint8Array) {
    const trie = readTrie(bytes);
    let at = trie.end;
    const section = <T>(Type: { new (buffer: ArrayBuffer): T; BYTES_PER_ELEMENT: number }, count: number): T => {
      const from = at;
      at += count * Type.BYTES_PER_ELEMENT;
      return new Type(bytes.buffer.slice(bytes.byteOffset + from, bytes.byteOffset + at) as ArrayBuffer);
    };
    const header = section(Uint32Array, 10);
    const [, lists = 0, entries = 0, rows = 0, columns = 0, endRow = 0, startColumn = 0, categories = 0, sets = 0, pages = 0] =
      header;
    const firstEntry = section(Uint32Array, lists + 1);
    const entryRow = section(Uint16Array, entries);
    const entryColumn = section(Uint16Array, entries);
    const entryCost = section(Int16Array, entries);
    this.#matrix = section(Int16Array, rows * columns);
    const categoryList = section(Uint16Array, categories);
    const flags = section(Uint8Array, categories);
    const setCategories = section(Uint8Array, sets * 2);
    const page = section(Uint8Array, 256);
    const setOf = section(Uint8Array, pages * 256);
    if (at !== bytes.length) throw new Error('sections that do not fill the file');
    const listOf = (list: number): Entry[] => {
      const found: Entry[] = [];
      for (let entry = firstEntry[list - 1] ?? 0; entry < (firstEntry[list] ?? 0); entry++) {
        found.push({ row: entryRow[entry] ?? 0, column: entryColumn[entry] ?? 0, cost: entryCost[entry] ?? 0 });
      }
      return found;
    };
    for (const [word, list] of trie.words) this.words.set(word, listOf(list));
    this.#longest = [...this.words.keys()].reduce((longest, word) => Math.max(longest, [...word].length), 0);
    this.#columns = columns;
    this.#endRow = endRow;
    this.#startColumn = startColumn;
    this.#unknown = [...categoryList].map((list, category) => {
      const flag = flags[category] ?? 0;
      return { entries: listOf(list), always: (flag & 1) !== 0, runs: (flag & 2) !== 0 };
    });
    this.#categoriesOf = (character) => {
      const point = character.codePointAt(0) ?? 0;
      const set = point < 0x10000 ? (setOf[(page[point >> 8] ?? 0) * 256 + (point & 255)] ?? 0) : 0;
      return [...setCategories.slice(set * 2, set * 2 + 2)].filter((category) => category !== CATEGORY_NONE);
    };
  }

  /** The words that may begin at a place of a text (given as code points): their ends and entries, costs of length included. */
  #wordsAt(text: string[], from: number): { to: number; entries: Entry[] }[] {
    const found: { to: number; entries: Entry[] }[] = [];
    for (let to = from + 1; to <= Math.min(text.length, from + this.#longest); to++) {
      const entries = this.words.get(text.slice(from, to).join(''));
      if (entries) found.push({ to, entries });
    }
    const known = found.length > 0;
    const categories = this.#categoriesOf(text[from] ?? '');
    for (const [place, category] of categories.entries()) {
      const { entries = [], always = false, runs = false } = this.#unknown[category] ?? {};
      if (known && !always) continue;
      let to = from + 1;
      while (runs && to < text.length && this.#categoriesOf(text[to] ?? '')[place] === category) to++;
      found.push({ to, entries });
    }
    return found.map(({ to, entries }) => {
      const extra = extraCost(text.slice(from, to));
      return { to, entries: entries.map((entry) => ({ ...entry, cost: entry.cost + extra })) };
    });
  }

  /**
   * The lowest cost of segmenting a text, or, with `pieces`, of segmenting it into these pieces (Infinity: this is not
   * possible).
   */
  cost(text: string, pieces?: string[]): number {
    const characters = [...text];
    // start of a piece -> its end
    const cuts = new Map<number, number>();
    let cut = 0;
    for (const piece of pieces ?? []) {
      const end = cut + [...piece].length;
      cuts.set(cut, end);
      cut = end;
    }
    // place -> column of the last word -> cost
    const ways = characters.map(() => new Map<number, number>());
    ways.push(new Map());
    ways[0]?.set(this.#startColumn, 0);
    const cheapest = (place: number, row: number) => {
      let least = Number.POSITIVE_INFINITY;
      for (const [column, cost] of ways[place] ?? []) {
        least = Math.min(least, cost + (this.#matrix[row * this.#columns + column] ?? 0));
      }
      return least;
    };
    for (let from = 0; from < characters.length; from++) {
      if (ways[from]?.size === 0) continue;
      for (const { to, entries } of this.#wordsAt(characters, from)) {
        if (pieces && cuts.get(from) !== to) continue;
        const target = ways[to] as Map<number, number>;
        for (const { row, column, cost } of entries) {
          const total = cheapest(from, row) + cost;
          if (total < (target.get(column) ?? Number.POSITIVE_INFINITY)) target.set(column, total);
        }
      }
    }
    return cheapest(characters.length, this.#endRow);
  }
}

function extraCost(word: string[]): number {
  const ideographs = word.every((character) => character >= '\u4e00' && character <= '\u9faf');
  if (ideographs) return word.length > 2 ? (word.length - 2) * 3000 : 0;
  return word.length > 7 ? (word.length - 7) * 1700 : 0;
}
