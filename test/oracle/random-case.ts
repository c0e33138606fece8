import type { SearchBody } from './index.js';
import { type Json, JsonNumber, type JsonObject, writeJson } from './json.js';
import { type RandomRequest, randomRequest } from './random-request.js';
import { type RandomText, randomText } from './random-words.js';
import { DEFAULT_RANKING_RULES, type SentSettings } from './settings.js';

/** A small corpus with settings and requests, the same for the same seed. */
export interface RandomCase {
  seed: number;
  settings: SentSettings;
  /** JSON texts; the place in the list is the internal id and the number in the member `id`. */
  documents: string[];
  requests: SearchBody[];
}

/** Attributes of the documents with text. */
const TEXTS = ['title', 'body', 'tags', 'info', 'info.note', 'info.deep.text'];
const FILTERABLE = ['price', 'group', 'tags', 'info.note', 'flag', '_geo', 'id', 'never'];
const SORTABLE = ['price', 'group', 'tags', 'title', '_geo', 'never'];

export function randomCase(seed: number, requests: number, request: RandomRequest = randomRequest): RandomCase {
  const text = randomText(seed);
  const settings = randomSettings(text);
  const size = text.chance(15) ? 60 + text.random.int(120) : 1 + text.random.int(40);
  const documents = Array.from({ length: size }, (_, id) => writeJson(randomDocument(text, id)));
  return { seed, settings, documents, requests: Array.from({ length: requests }, () => request(text, settings)) };
}

function randomDocument(text: RandomText, id: number): JsonObject {
  const document: JsonObject = new Map<string, Json>([['id', new JsonNumber(String(id))]]);
  const maybe = (percent: number, key: string, value: () => Json): void => {
    if (text.chance(percent)) document.set(key, value());
  };
  maybe(90, 'title', () => text.sentence(5));
  maybe(60, 'body', () => randomBody(text));
  maybe(40, 'tags', () => text.some(text.words, 1 + text.random.int(3)));
  maybe(30, 'info', () => randomInfo(text));
  maybe(60, 'price', () => randomPrice(text));
  maybe(50, 'group', () => randomGroup(text));
  maybe(20, 'flag', () => text.chance(50));
  maybe(10, 'empty', () => text.pick<Json>([null, '', [], new Map()]));
  maybe(25, '_geo', () => randomPoint(text));
  return document;
}

function randomBody(text: RandomText): Json {
  if (text.chance(80)) return text.sentence(text.chance(10) ? 60 : 12);
  const item = (): Json => (text.chance(10) ? null : text.chance(10) ? [] : text.sentence(4));
  return Array.from({ length: text.random.int(4) }, item);
}

function randomInfo(text: RandomText): Json {
  if (text.chance(20)) return text.sentence(3);
  const info: JsonObject = new Map();
  if (text.chance(70)) info.set('note', text.chance(50) ? text.word() : text.some(text.words, 2));
  if (text.chance(50)) info.set('deep', new Map<string, Json>([['text', text.sentence(6)]]));
  return text.chance(15) ? [info, new Map<string, Json>([['note', text.sentence(3)]])] : info;
}

const NUMBERS = ['0', '1', '2', '10', '10.0', '-3', '1.5', '1e3', '0.000001', '12345678901234567890', '-0'];
const number = (text: RandomText): Json => new JsonNumber(text.chance(50) ? text.pick(NUMBERS) : String(text.random.int(8)));

function randomPrice(text: RandomText): Json {
  switch (text.random.int(8)) {
    case 0:
      return text.pick(['10', 'cheap', '2', 'Zero', 'é']);
    case 1:
      return [number(text), text.pick([number(text), 'cheap', null, true])];
    case 2:
      return text.pick<Json>([null, '', [], new Map(), false]);
    default:
      return number(text);
  }
}

function randomGroup(text: RandomText): Json {
  const value = (): Json => text.pick<Json>(['A', 'a', ' B', 'b', 'Ç', new JsonNumber('1'), '1', 'long name']);
  return text.chance(15) ? [value(), value()] : value();
}

function randomPoint(text: RandomText): Json {
  const coordinate = (): Json => new JsonNumber(String((text.random.int(400) - 200) / 10));
  return new Map<string, Json>([
    ['lat', coordinate()],
    ['lng', coordinate()],
  ]);
}

function randomSettings(text: RandomText): SentSettings {
  const settings: SentSettings = { filterableAttributes: text.some(FILTERABLE, 6), sortableAttributes: text.some(SORTABLE, 4) };
  const maybe = <K extends keyof SentSettings>(percent: number, key: K, value: () => SentSettings[K]): void => {
    if (text.chance(percent)) settings[key] = value();
  };
  maybe(50, 'searchableAttributes', () => text.some(TEXTS, 1 + text.random.int(TEXTS.length)));
  maybe(65, 'rankingRules', () => randomRules(text));
  maybe(35, 'stopWords', () => text.some(['the', 'of', 'a', 'The', text.word(), text.word()], 3));
  maybe(30, 'synonyms', () => randomSynonyms(text));
  maybe(40, 'typoTolerance', () => randomTypos(text));
  maybe(15, 'proximityPrecision', () => 'byAttribute');
  maybe(15, 'prefixSearch', () => 'disabled');
  maybe(15, 'distinctAttribute', () => text.pick(['group', 'price', 'tags', 'info.note']));
  maybe(10, 'separatorTokens', () => text.pick([['|'], ['x'], ['&sep'], ['b']]));
  maybe(10, 'nonSeparatorTokens', () => text.pick([['-'], ["'", '/'], ['"'], ['. ']]));
  maybe(8, 'dictionary', () => [`${text.word()}-${text.word()}`, `${text.word()} ${text.word()}`, 'S. O. S']);
  maybe(10, 'displayedAttributes', () => ['id', 'title', 'price']);
  maybe(10, 'pagination', () => ({ maxTotalHits: 1 + text.random.int(12) }));
  maybe(20, 'faceting', () => ({
    maxValuesPerFacet: text.pick([1, 3, 100]),
    sortFacetValuesBy: { '*': text.pick(['alpha', 'count'] as const) },
  }));
  maybe(3, 'searchCutoffMs', () => 0);
  return settings;
}

function randomRules(text: RandomText): string[] {
  const rules = [...DEFAULT_RANKING_RULES, 'attribute', 'price:asc', 'group:desc', 'never:asc', 'sort'];
  return text.chance(30) ? text.some(rules, 1 + text.random.int(3)) : text.some(rules, 5 + text.random.int(8));
}

function randomSynonyms(text: RandomText): Record<string, string[]> {
  const phrase = (): string => Array.from({ length: 1 + text.random.int(3) }, () => text.word()).join(' ');
  const key = (): string => Array.from({ length: text.chance(70) ? 1 : 1 + text.random.int(3) }, () => text.word()).join(' ');
  return Object.fromEntries(Array.from({ length: 1 + text.random.int(6) }, () => [key(), [phrase(), phrase()]]));
}

function randomTypos(text: RandomText): NonNullable<SentSettings['typoTolerance']> {
  const oneTypo = text.random.int(6);
  return {
    enabled: text.chance(85),
    minWordSizeForTypos: { oneTypo, twoTypos: oneTypo + text.random.int(5) },
    disableOnWords: text.chance(30) ? [text.word(), text.word()] : [],
    disableOnAttributes: text.chance(30) ? text.some(TEXTS, 2) : [],
    disableOnNumbers: text.chance(30),
  };
}
