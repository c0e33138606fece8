import { type SeededRandom, seededRandom } from '../../bindings/test/random.js';

/** Random text in which words share beginnings, are typos of each other, and can be joined and split. */

const NATURAL = [
  ...['sun', 'sunny', 'sunflower', 'flower', 'flow', 'flour', 'water', 'watery', 'melon', 'watermelon', 'melons', 'waterfall'],
  ...['fall', 'black', 'bird', 'blackbird', 'birds', 'board', 'blackboard', 'house', 'boat', 'houseboat', 'boathouse', 'horse'],
  ...[
    'wonderful',
    'wonderfull',
    'vonderful',
    'wondreful',
    'wonderfully',
    'onderful',
    'wonder',
    'hello',
    'hallo',
    'help',
    'world',
  ],
  ...['word', 'sword', 'the', 'of', 'a', 'an', 'and', 'in', 'The', 'red', 'read', 'bread', 'blue', 'blew', 'green', 'greens'],
  ...['10', '1', '2024', '20', '24', '3d', '100', 'café', 'cafe', 'Élan', 'naïve', 'ﬁn', 'straße', 'Ωμέγα', 'привет', 'Мир'],
  ...['Ёж', 'ёж', 'ΣΊΓΜΑΣ', 'ςίγμα', 'σίγμας', 'שלום', 'किताब', 'ქართული', 'Հայ', 'հայ', 'Ürün', 'İstanbul', 'istanbul', 'œuvre'],
  ...['l’été', 'Đorđe', 'x²', '½', 'Ⅷ', '™', 'hi😀you', 'a…b', '$5', 'C++', 'ab\u00a0', 'e\u0301t\u00e9', 'ÅNGSTRÖM', 'Ａｂ'],
];
const MANY_SHARED = 130;
const LETTERS = 'abc';
const BLANKS = [' ', ' ', ' ', ' ', ' ', ' ', ' ', ', ', '. ', '-', "'", '! ', '/', '  ', '\n', '. . ', ' - ', ',', '; ', '_'];

export class RandomText {
  readonly words: string[];
  /** The sentences made so far. */
  readonly #sentences: string[] = [];

  constructor(readonly random: SeededRandom) {
    const kind = random.int(8);
    if (kind < 4) this.words = this.some(NATURAL, 12 + random.int(30));
    else if (kind < 7) this.words = Array.from({ length: 8 + random.int(30) }, () => this.letters(1 + random.int(7)));
    // so many words with one beginning that it is a prefix of the index
    else this.words = Array.from({ length: MANY_SHARED }, (_, k) => `b${LETTERS[k % 3]}${k.toString(4)}`);
  }

  chance(percent: number): boolean {
    return this.random.int(100) < percent;
  }

  pick<T>(list: readonly T[]): T {
    return this.random.pick(list);
  }

  /** Some of a list, in random order. */
  some<T>(list: readonly T[], count: number): T[] {
    const rest = [...list];
    const taken: T[] = [];
    while (taken.length < count && rest.length > 0) taken.push(...rest.splice(this.random.int(rest.length), 1));
    return taken;
  }

  letters(length: number): string {
    return Array.from({ length }, () => LETTERS[this.random.int(LETTERS.length)]).join('');
  }

  word(): string {
    return this.pick(this.words);
  }

  /** Words with separators between; now and then some of a sentence made before. */
  sentence(maxWords: number): string {
    let text = this.chance(5) ? this.pick(BLANKS) : '';
    if (this.chance(15)) text += `${this.quotation(5)} `;
    for (let k = 1 + this.random.int(maxWords); k > 0; k--) text += this.word() + (k > 1 ? this.pick(BLANKS) : '');
    if (this.chance(8)) text = text.toUpperCase();
    if (this.chance(10)) text += '.';
    this.#sentences.push(text);
    return text;
  }

  /** Up to `maxWords` neighbouring words of a sentence made before. */
  quotation(maxWords: number): string {
    const source = this.#sentences.length > 0 ? this.pick(this.#sentences) : this.word();
    const words = source.split(/(?<=[\s,./!;_'-])(?=[^\s,./!;_'-])/u);
    const count = 1 + this.random.int(maxWords);
    const from = this.random.int(Math.max(1, words.length - count + 1));
    return (
      words
        .slice(from, from + count)
        .join('')
        .trim() || source
    );
  }

  /** A word with a letter dropped, doubled, changed or swapped. */
  misspelt(word: string): string {
    const letters = [...word];
    const at = this.random.int(letters.length);
    const other = this.chance(50) ? this.pick([...'abcehlow']) : (letters[0] as string);
    switch (this.random.int(4)) {
      case 0:
        letters.splice(at, 1);
        break;
      case 1:
        letters.splice(at, 0, other);
        break;
      case 2:
        letters[at] = other;
        break;
      default:
        letters.splice(Math.max(0, at - 1), 2, ...letters.slice(Math.max(0, at - 1), at + 1).reverse());
    }
    return letters.join('') || word;
  }
}

/** Neighbouring seeds give unlike cases. */
export function randomText(seed: number): RandomText {
  const random = seededRandom(Math.imul(seed + 1, 0x9e3779b1));
  for (let k = 0; k < 8; k++) random.int(2);
  return new RandomText(random);
}
