import { type SeededRandom, seededRandom } from '../bindings/test/random.js';
import { type DataSet, wordsOf } from './data.js';

/** Searches derived from the data with a fixed seed: two servers, and two runs, get the same. */

export type SearchBody = Record<string, unknown> & { q: string };

export interface QuerySet {
  name: string;
  bodies: SearchBody[];
  /** Number of searches in one request of `POST /multi-search`; absent: one request per search. */
  together?: number;
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const MIN_MISSPELT_LENGTH = 5;
const ATTEMPTS = 200;
/** Searches in a request of the set `multi`: what a page of filters sends at every key. */
const TOGETHER = 5;

export function querySets(data: DataSet, perSet: number, seed: number): QuerySet[] {
  const random = seededRandom(seed);
  const make = (name: string, next: () => SearchBody | SearchBody[]): QuerySet => {
    const bodies: SearchBody[] = [];
    while (bodies.length < perSet) bodies.push(...[next()].flat());
    return { name, bodies: bodies.slice(0, perSet) };
  };
  const words = (count: number): string[] => neighbours(data, random, count);
  const sets = [
    make('one word', () => ({ q: words(1).join(' ') })),
    make('two words', () => ({ q: words(2).join(' ') })),
    make('four words', () => ({ q: words(4).join(' ') })),
    make('as typed', () => keyByKey(words(1 + random.int(2)).join(' '))),
    make('typos', () => ({
      q: words(1 + random.int(2))
        .map((word) => misspelt(word, random))
        .join(' '),
    })),
    make('phrase', () => ({ q: `"${words(2 + random.int(2)).join(' ')}"` })),
  ];
  const [facet] = data.facetFields;
  const [number] = data.numberFields;
  if (facet !== undefined || number !== undefined) {
    sets.push(make('filter + sort', () => ({ q: words(1).join(' '), ...filtered(data, random, facet, number) })));
  }
  if (data.facetFields.length > 0) {
    const faceted = () => ({ q: words(1).join(' '), facets: data.facetFields.slice(0, 3) });
    sets.push(make('facets', faceted), { ...make('multi', faceted), together: TOGETHER });
  }
  return sets;
}

/** Neighbouring words of some document. */
function neighbours({ documents, textFields }: DataSet, random: SeededRandom, count: number): string[] {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const words = wordsOf(random.pick(documents)[random.pick(textFields)]);
    if (words.length < count) continue;
    const from = random.int(words.length - count + 1);
    return words.slice(from, from + count);
  }
  throw new Error(`no field holds ${count} words`);
}

/** What a search box sends while a text is typed. */
function keyByKey(text: string): SearchBody[] {
  return [...text].map((_, k, letters) => ({ q: letters.slice(0, k + 1).join('') }));
}

/** A letter dropped, added, changed or swapped, never the first. */
function misspelt(word: string, random: SeededRandom): string {
  const letters = [...word];
  if (letters.length < MIN_MISSPELT_LENGTH) return word;
  const at = 1 + random.int(letters.length - 1);
  const letter = random.pick([...LETTERS]);
  switch (random.int(4)) {
    case 0:
      return letters.toSpliced(at, 1).join('');
    case 1:
      return letters.toSpliced(at, 0, letter).join('');
    case 2:
      return letters.with(at, letter).join('');
    default:
      return letters.toSpliced(at - 1, 2, letters[at] as string, letters[at - 1] as string).join('');
  }
}

function filtered(data: DataSet, random: SeededRandom, facet?: string, number?: string): Record<string, unknown> {
  const conditions: string[] = [];
  const document = random.pick(data.documents);
  const value = facet === undefined ? undefined : [document[facet]].flat()[0];
  if (typeof value === 'string') conditions.push(`${facet} = ${JSON.stringify(value)}`);
  const limit = number === undefined ? undefined : document[number];
  if (typeof limit === 'number') conditions.push(`${number} <= ${JSON.stringify(String(limit))}`);
  return {
    ...(conditions.length > 0 && { filter: conditions.join(' AND ') }),
    ...(number !== undefined && { sort: [`${number}:desc`] }),
  };
}
