import type { SentSettings } from './oracle/settings.js';

/** Small corpora whose answers were worked out by hand, rule by rule (docs/reference/ranking.md). */

/** Documents by internal id: their text, or their members. */
type Documents = readonly (string | Record<string, unknown>)[];
/** `id:score` of each hit, where the score is compared to as many digits as are written; without a score it is not compared. */
type Expected = string;
type Body = Record<string, unknown>;

export interface Corpus {
  name: string;
  documents: Documents;
  settings: SentSettings;
  /** Members of every request. */
  always?: Body;
  searches: readonly [q: string | Body, hits: Expected, counted?: number][];
}

const rules = (...rankingRules: string[]): SentSettings => ({ rankingRules });
const all = { matchingStrategy: 'all' };

export const TWO_ATTRIBUTES = [
  { title: 'Blue Lagoon', body: 'A lagoon with blue water' },
  { title: 'Lagoon', body: 'deep blue lagoon' },
  { title: 'The blue book', body: 'about a lagoon' },
  { title: 'Blue lagoons', body: 'x' },
  { title: 'bleu lagoon', body: 'y' },
];
const GREEN_TEA = [
  { a: 'green tea', b: 'leaf' },
  { a: 'leaf', b: 'green tea' },
  { a: 'green', b: 'tea leaf' },
  { b: 'x y z w v u green tea' },
];
const MELONS = ['water melon', 'watermelon', 'watermelan', 'melon water', 'the water and the melon'];
const WONDERFUL = 'wonderful vonderful wonderfull wondreful windirful onderful'.split(' ').concat('wonder ful', 'wonderfully');
const PENS = [
  { t: 'pen', price: 3 },
  { t: 'pen', price: '12' },
  { t: 'pen', price: [5, 1] },
  { t: 'pen' },
  { t: 'pen', price: true },
  { t: 'pens', price: 0 },
];
const byAttribute = (...rankingRules: string[]): SentSettings => ({ rankingRules, searchableAttributes: ['a', 'b'] });

export const CORPORA: readonly Corpus[] = [
  {
    name: 'words',
    documents: ['red apple pie', 'red apple', 'red', 'apple pie', 'redapple tart'],
    settings: rules('words'),
    searches: [
      ['red apple pie ', '0:1 1:.6667 4:.6667 2:.3333'],
      [{ q: 'red apple pie ', ...all }, '0:1'],
      [{ q: 'red apple pie ', matchingStrategy: 'frequency' }, '0:1 3:.6667'],
      ['"apple pie" red ', '0:1 3:.6667'],
      ['red "apple pie"', '0:1 3:.6667'],
      ['red -pie ', '1:1 2:1'],
      ['-pie ', '1:1 2:1 4:1'],
      [{ q: 'red apple pie ', rankingScoreThreshold: 0.5 }, '0 1 4', 3],
    ],
  },
  {
    name: 'frequency depends on the order of the words',
    documents: 'beta gamma,alpha gamma,alpha beta gamma,beta,beta alpha,alpha x,beta x,beta y,alpha q'.split(','),
    settings: rules('words'),
    always: { matchingStrategy: 'frequency' },
    searches: [
      ['alpha beta gamma ', '2:1 1:.6667 0:.3333'],
      ['beta alpha gamma ', '2:1 0:.6667 1:.6667'],
    ],
  },
  {
    name: 'words that are equally frequent are kept together',
    documents: ['x gamma', 'alpha gamma', 'alpha beta gamma', 'beta z'],
    settings: rules('words'),
    always: { matchingStrategy: 'frequency' },
    searches: [['beta alpha gamma ', '2']],
  },
  {
    name: 'typos after words',
    documents: ['hello world', 'hallo world', 'jello world', 'hellofresh world', 'hellp worlt', 'helo'],
    settings: rules('words', 'typo'),
    searches: [
      ['hello world ', '0:1 1:.8333 4:.6667 5:.25'],
      ['hel', '0:1 3:1 4:1 5:1'],
    ],
  },
  {
    name: 'typos',
    documents: WONDERFUL,
    settings: rules('typo'),
    searches: [
      ['wonderful ', '0:1 2:.6667 3:.6667 6:.6667 1:.3333 4:.3333 5:.3333 7:.3333'],
      ['wonderful', '0:1 2:1 7:1 3:.6667 6:.6667 1:.3333 4:.3333 5:.3333'],
    ],
  },
  {
    name: 'joined and split words',
    documents: MELONS,
    settings: rules('words', 'typo', 'proximity'),
    searches: [
      ['water melon ', '0:1 3:.96875 4:.9375 1:.6875 2:.5625'],
      ['watermelon ', '1:1 0:.6667 2:.6667'],
    ],
  },
  {
    name: 'a joined word that no document holds',
    documents: ['water melon', 'melon water'],
    settings: rules('words', 'typo', 'proximity'),
    searches: [['water melon ', '0:1 1:.9583333333333334']],
  },
  {
    name: 'the same without words',
    documents: ['water melon', 'melon water'],
    settings: rules('typo', 'proximity'),
    always: all,
    searches: [['water melon ', '0:1 1:.9375']],
  },
  {
    name: 'proximity',
    documents: [
      ...['dark blue car', 'dark car blue', 'blue dark car', 'car dark x blue'],
      ...['dark. blue car', 'dark x y blue z car', 'dark x y z blue car'],
    ],
    settings: rules('proximity'),
    always: all,
    searches: [
      ['dark blue car ', '0:1 1:.7143 2:.7143 4:.5714 5:.5714 6:.5714 3:.4286'],
      ['dark blue ', '0:1 1:.75 2:.75 3:.75 5:.5 4:.25 6:.25'],
      ['dark bl', '0:1 1:.75 2:.75 3:.75 5:.5 4:.25 6:.25'],
      ['"dark blue" car ', '0:1'],
    ],
  },
  {
    name: 'attribute',
    documents: GREEN_TEA,
    settings: byAttribute('attribute'),
    always: all,
    searches: [['green tea ', '0:1 2:.650794 1:.333333 3:.238095']],
  },
  {
    name: 'attribute rank',
    documents: GREEN_TEA,
    settings: byAttribute('attributeRank'),
    always: all,
    searches: [['green tea ', '0:1 2:.6667 1:.3333 3:.3333']],
  },
  {
    name: 'word position',
    documents: GREEN_TEA,
    settings: byAttribute('wordPosition'),
    always: all,
    searches: [['green tea ', '0:1 1:1 2:.952381 3:.714286']],
  },
  {
    name: 'exactness',
    documents: ['blue sky', 'blue sky today', 'the blue sky', 'sky blue', 'blues sky', 'blue skies'],
    settings: rules('exactness'),
    always: all,
    searches: [['blue sky', '0:1 1:.6667 2:.3333 3:.3333']],
  },
  {
    name: 'default rules',
    documents: ['blue sky', 'blue sky today', 'the blue sky', 'sky blue', 'blues sky', 'blue skies'],
    settings: {},
    searches: [['blue sky', '0:1 1:.9993386243386243 2:.9947089947089947 3:.953042328042328 5:.49242424242424243']],
  },
  {
    name: 'default rules over two attributes',
    documents: TWO_ATTRIBUTES,
    settings: { searchableAttributes: ['title', 'body'] },
    searches: [['blue lagoon', '0:1 3:.9994855967078189 1:.984347442680776 2:.859347442680776']],
  },
  {
    name: 'stop words',
    documents: ['the sun rises', 'sun rises', 'sun of the east', 'a sun x east'],
    settings: { stopWords: ['the', 'of', 'a'] },
    searches: [
      ['the sun of east ', '3:.9973544973544973 2:.9867724867724867 0:.49242424242424243 1:.4621212121212121'],
      ['"sun of the east"', '2:.9848484848484849 3:.9242424242424242'],
      ['the', ''],
      ['the ', '0 1 2 3'],
    ],
  },
  {
    name: 'separators and joins',
    documents: ['new york city guide', 'newyork city', 'new orleans', 'york', 'the new, york', 'new-york'],
    settings: {},
    searches: [
      ['new york', '5:1 0:.9995039682539683 4:.8978174603174603 1:.6818783068783069 2:.49242424242424243'],
      ['newyork', '1:.9848484848484849 0:.4621212121212121 5:.4621212121212121'],
      ['new, york', '4:.9788359788359788 0:.9708994708994709 5:.9708994708994709 2:.49242424242424243'],
      ['"new, york"', '4:.9365079365079365 0:.9126984126984127 5:.9126984126984127'],
      ['"new york" guide', '0:.955026455026455 5:.6666666666666666'],
    ],
  },
  {
    name: 'synonyms',
    documents: ['usa map', 'united states map', 'united mexican states', 'america map'],
    settings: { synonyms: { america: ['usa', 'united states'], 'united states': ['usa'] } },
    searches: [
      ['america ', '3:.9848484848484849 0:.9621212121212122 1:.9621212121212122'],
      ['united states ', '1:.9995039682539683 2:.9662698412698413 0:.6818783068783069'],
    ],
  },
  {
    name: 'values to sort by, ascending',
    documents: PENS,
    settings: rules('words', 'typo', 'price:asc', 'exactness'),
    searches: [['pen', '5:.5833333333333334 2:1 0:1 1:1 4:1 3:1']],
  },
  {
    name: 'values to sort by, descending',
    documents: PENS,
    settings: rules('words', 'typo', 'price:desc', 'exactness'),
    searches: [['pen', '2 0 5 4 1 3']],
  },
  {
    name: 'nested arrays',
    documents: [{ tags: ['big cat', 'dog'] }, { o: { tags: ['big cat', 'dog'] } }, {}, { o: { tags: 'big cat' } }],
    settings: rules('wordPosition', 'exactness'),
    always: all,
    searches: [['big cat ', '3 0 1']],
  },
  {
    name: 'proximity by attribute',
    documents: TWO_ATTRIBUTES,
    settings: { searchableAttributes: ['title', 'body'], proximityPrecision: 'byAttribute' },
    searches: [['"lagoon blue"', '1:.9924242424242424 0:.9621212121212122']],
  },
  {
    name: 'distinct values of any case',
    documents: [{ g: 'A' }, { g: 'a' }, { g: 'B' }, {}, {}],
    settings: { filterableAttributes: ['g'], distinctAttribute: 'g' },
    searches: [
      ['', '0 2 3 4'],
      [{ q: '', page: 1 }, '0 2 3 4', 4],
    ],
  },
  {
    name: 'words and typos without a cutoff',
    documents: ['grean maplo table', 'grean maple table', 'green', 'green maple', 'green maple table'],
    settings: rules('words', 'typo'),
    searches: [[{ q: 'green maple table', limit: 4 }, '4:1 1:.9166666666666666 0:.8333333333333334 3:.6666666666666666']],
  },
  {
    name: 'assignment of documents, step by step',
    documents: ['watermelon juice with green melon, fresh watr'],
    settings: {},
    searches: [['water melon juice', '0:.8418778801843319']],
  },
];
