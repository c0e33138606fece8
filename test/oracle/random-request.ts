import type { FilterableRule } from '../../bindings/index-types.js';
import type { SearchBody } from './index.js';
import type { RandomText } from './random-words.js';
import { DEFAULT_RANKING_RULES, type SentSettings } from './settings.js';

export type RandomRequest = (text: RandomText, settings: SentSettings) => SearchBody;

/** Phrases of some words that a document has, in all attributes or some. */
export const randomPhrases: RandomRequest = (text) => ({
  q: Array.from({ length: 1 + text.random.int(2) }, () => `"${text.quotation(5)}"`).join(' '),
  ...(text.chance(30) && { attributesToSearchOn: randomSearchOn(text) }),
});

/** A search that the settings allow (now and then one that they refuse). */
export function randomRequest(text: RandomText, settings: SentSettings): SearchBody {
  const body: SearchBody = { q: randomQuery(text), ...randomPage(text) };
  const maybe = <K extends keyof SearchBody>(percent: number, key: K, value: () => NonNullable<SearchBody[K]>): void => {
    if (text.chance(percent)) body[key] = value() as never;
  };
  const filterable = (settings.filterableAttributes ?? []).filter((rule) => typeof rule === 'string');
  maybe(55, 'matchingStrategy', () => text.pick(['all', 'last', 'frequency'] as const));
  maybe(12, 'attributesToSearchOn', () => randomSearchOn(text));
  maybe(12, 'rankingScoreThreshold', () => text.pick([0, 0.2, 0.5, 0.7, 0.9, 0.95, 0.99, 1]));
  maybe(20, 'facets', () => (text.chance(50) ? ['*'] : text.some(filterable, 2)));
  maybe(15, 'distinct', () => text.pick(['group', 'price', 'tags']));
  if (filterable.length > 0) maybe(20, 'filter', () => randomFilter(text, filterable));
  const canSort = (settings.rankingRules ?? DEFAULT_RANKING_RULES).includes('sort');
  const sortable = settings.sortableAttributes ?? [];
  if ((canSort && sortable.length > 0) || text.chance(5)) maybe(25, 'sort', () => randomSort(text, sortable));
  return body;
}

function randomPage(text: RandomText): SearchBody {
  switch (text.random.int(5)) {
    case 0:
      return { page: text.pick([0, 1, 1, 1, 2, 3]), ...(text.chance(70) && { hitsPerPage: text.random.int(6) }) };
    case 1:
      return { hitsPerPage: text.random.int(10) };
    case 2:
      return { offset: text.random.int(6), limit: text.random.int(8) };
    case 3:
      return { limit: 1 + text.random.int(3) };
    default:
      return {};
  }
}

const JOINTS = [' ', ' ', ' ', ' ', ' ', ' ', '-', ', ', '  ', '! ', ' - ', "'"];

function randomQuery(text: RandomText): string {
  if (text.chance(5)) return text.pick(['', ' ', '-', '"', ' ! ', '""']);
  if (text.chance(35)) return ending(text, randomQuotation(text));
  const count = text.chance(6) ? 9 + text.random.int(5) : 1 + Math.min(text.random.int(4), text.random.int(4));
  let query = '';
  for (let k = 0; k < count; k++) query += (k > 0 ? text.pick(JOINTS) : '') + randomTerm(text);
  return ending(text, query);
}

/** Words as some document has them, now and then as a phrase, misspelt or with another word. */
function randomQuotation(text: RandomText): string {
  const words = text.quotation(4);
  switch (text.random.int(6)) {
    case 0:
      return `"${words}"`;
    case 1:
      return text.misspelt(words);
    case 2:
      return `${words} ${randomTerm(text)}`;
    default:
      return words;
  }
}

/** Queries as they look while they are typed, and when they are done. */
function ending(text: RandomText, query: string): string {
  if (text.chance(40)) return [...query].slice(0, Math.max(1, query.length - text.random.int(4))).join('');
  return text.chance(40) ? `${query} ` : query;
}

function randomTerm(text: RandomText): string {
  const word = text.word();
  const roll = text.random.int(100);
  if (roll < 55) return word;
  if (roll < 70) return text.misspelt(word);
  if (roll < 74) return text.misspelt(text.misspelt(word));
  if (roll < 80) return word + text.word();
  if (roll < 84) return split(text, [...word]);
  if (roll < 93)
    return `"${[word, text.word(), text.word()].slice(0, 1 + text.random.int(3)).join(text.pick([' ', ' ', ', ']))}"`;
  if (roll < 97) return `-${word}`;
  return `-"${word} ${text.word()}"`;
}

/** A beginning of a word, and the word without its first letter. */
function split(text: RandomText, letters: string[]): string {
  return `${letters.slice(0, 1 + text.random.int(letters.length)).join('')} ${letters.slice(1).join('')}`;
}

function randomSearchOn(text: RandomText): string[] {
  return text.some(['title', 'body', 'tags', 'info.note', 'info.deep.text', 'info.*', '*', 'missing'], 1 + text.random.int(2));
}

const VALUES = ['10', '1', '2', '1.5', 'a', 'B', "'long name'", 'cheap', '"Ç"', '0', 'true', '1000', '10.0', '-3'];

/** Conditions over the fields given, nested a little. */
function randomFilter(text: RandomText, fields: readonly Exclude<FilterableRule, object>[], depth = 0): string {
  const inner = (): string => randomFilter(text, fields, depth + 1);
  if (depth < 3 && text.chance(35)) {
    switch (text.random.int(4)) {
      case 0:
        return `NOT ${condition(text, fields)}`;
      case 1:
        return `NOT (${inner()})`;
      default:
        return `(${inner()}) ${text.pick(['AND', 'OR'])} ${inner()}`;
    }
  }
  return condition(text, fields);
}

function condition(text: RandomText, fields: readonly string[]): string {
  const field = text.pick(fields);
  const value = (): string => text.pick([...VALUES, String(text.random.int(8)), `'${text.word().replace(/'/g, '')}'`]);
  if (field === '_geo') {
    if (text.chance(60))
      return `_geoRadius(${text.random.int(40) - 20}, ${text.random.int(40) - 20}, ${text.random.int(2_000_000)})`;
    return `_geoBoundingBox([${text.random.int(20)}, ${text.random.int(40) - 20}], [${-text.random.int(20)}, ${text.random.int(40) - 20}])`;
  }
  switch (text.random.int(8)) {
    case 0:
      return `${field} ${text.pick(['EXISTS', 'NOT EXISTS', 'IS NULL', 'IS NOT NULL', 'IS EMPTY', 'IS NOT EMPTY'])}`;
    case 1:
      return `${field} ${text.pick(['IN', 'NOT IN'])} [${value()}, ${value()}]`;
    case 2:
      return `${field} ${value()} TO ${value()}`;
    case 3:
      return `${field} ${text.pick(['CONTAINS', 'STARTS WITH', 'NOT CONTAINS', 'NOT STARTS WITH'])} ${value()}`;
    default:
      return `${field} ${text.pick(['=', '=', '!=', '>', '>=', '<', '<='])} ${value()}`;
  }
}

function randomSort(text: RandomText, sortable: readonly string[]): string[] {
  return text.some(sortable.length > 0 ? sortable : ['price'], 1 + text.random.int(2)).map((field) => {
    const direction = text.pick(['asc', 'desc']);
    if (field !== '_geo') return `${field}:${direction}`;
    return `_geoPoint(${text.random.int(20)}, ${text.random.int(20)}):${direction}`;
  });
}
