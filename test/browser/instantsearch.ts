import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { build } from 'esbuild';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { Client, startServer } from '../server.js';
import { launchChromium } from './launch.js';

/** An InstantSearch page in a real browser over a real server: every step of a user must show what plain code works out. */

const PAGE_FOLDER = new URL('../../../test/browser/page/', import.meta.url);
const MASTER_KEY = 'the key of this test alone';
const HITS_PER_PAGE = 3;
const POLL_MS = 25;
/** Only reached when a page never shows the expected content. */
const TIMEOUT_MS = 20_000;

const PLACES = ['harbour', 'mountain', 'island', 'desert'] as const;
const GENRES = ['novel', 'essay', 'poetry'] as const;
const FORMATS = ['paper', 'audio'] as const;

interface Book {
  id: number;
  title: string;
  genre: string;
  format: string;
  price: number;
}

/** 48 books: four of each place and genre, two of them in each format, no price twice. */
const BOOKS: Book[] = Array.from({ length: 48 }, (_, id) => ({
  id,
  title: `Tales of the ${PLACES[id % 4]}`,
  genre: GENRES[id % 3]!,
  format: FORMATS[Math.floor(id / 12) % 2]!,
  price: (id * 37) % 101,
}));

/** The actions of a user on the page. */
interface Choices {
  query?: string;
  genres?: string[];
  formats?: string[];
  price?: 'asc' | 'desc';
  /** From 0. */
  page?: number;
}

interface View {
  count: string;
  /** Ids of the hits in their order. */
  ids: number[];
  /** The marked text of each hit. */
  marked: string[];
  /** Counts by value. */
  genre: Record<string, string>;
  format: Record<string, string>;
  /** The last number of the paging. */
  pages: string;
}

const isChosen = (chosen: string[] | undefined, value: string): boolean => !chosen?.length || chosen.includes(value);

function countBy(books: Book[], member: 'genre' | 'format'): Record<string, string> {
  const counts = new Map<string, number>();
  for (const book of books) counts.set(book[member], (counts.get(book[member]) ?? 0) + 1);
  return Object.fromEntries([...counts].map(([value, count]) => [value, String(count)]));
}

/** The values of a facet are counted as if none of them were chosen: that is how a list of alternatives works. */
function expectedView({ query = '', genres, formats, price, page = 0 }: Choices): View {
  const found = BOOKS.filter(({ title }) => title.includes(query));
  const hits = found.filter(({ genre, format }) => isChosen(genres, genre) && isChosen(formats, format));
  if (price) hits.sort((a, b) => (price === 'asc' ? a.price - b.price : b.price - a.price));
  const shown = hits.slice(page * HITS_PER_PAGE, (page + 1) * HITS_PER_PAGE);
  return {
    count: String(hits.length),
    ids: shown.map(({ id }) => id),
    marked: shown.map(() => query),
    genre: countBy(
      found.filter(({ format }) => isChosen(formats, format)),
      'genre',
    ),
    format: countBy(
      found.filter(({ genre }) => isChosen(genres, genre)),
      'format',
    ),
    pages: String(Math.ceil(hits.length / HITS_PER_PAGE)),
  };
}

/** Runs inside the page. */
function readView(): View {
  const all = (selector: string, within: ParentNode = document) => Array.from(within.querySelectorAll<HTMLElement>(selector));
  const texts = (selector: string, within?: ParentNode) => all(selector, within).map((element) => element.textContent ?? '');
  const counts = (list: string) =>
    Object.fromEntries(
      all(`${list} .ais-RefinementList-item`).map((item) => [
        texts('.ais-RefinementList-labelText', item)[0],
        texts('.ais-RefinementList-count', item)[0],
      ]),
    );
  const hits = all('#hits [data-id]');
  return {
    count: texts('#count .ais-Stats-text').join(),
    ids: hits.map((hit) => Number(hit.dataset.id)),
    marked: hits.map((hit) => texts('mark', hit).join()),
    genre: counts('#genre'),
    format: counts('#format'),
    pages: texts('.ais-Pagination-item--page').at(-1) ?? '',
  };
}

/** Waits until the page shows the expected content; the final content is compared. */
async function shows(t: Test, page: Page, expected: View, step: string): Promise<void> {
  const deadline = Date.now() + TIMEOUT_MS;
  let view = await page.evaluate(readView);
  while (!isDeepStrictEqual(view, expected) && Date.now() < deadline) {
    await pause(POLL_MS);
    view = await page.evaluate(readView);
  }
  t.same(view, expected, step);
}

/** Serves the page on a free port of this machine. */
async function servePage(): Promise<{ base: string; close(): void }> {
  const entry = fileURLToPath(new URL('page.js', PAGE_FOLDER));
  const { outputFiles } = await build({ entryPoints: [entry], bundle: true, write: false, platform: 'browser', format: 'esm' });
  const script = outputFiles[0]!.text;
  const html = fs.readFileSync(new URL('index.html', PAGE_FOLDER));
  const server = http.createServer((request, response) => {
    const isScript = request.url === '/page.js';
    response.setHeader('content-type', isScript ? 'text/javascript; charset=utf-8' : 'text/html; charset=utf-8');
    response.end(isScript ? script : html);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return { base: `http://127.0.0.1:${port}/`, close: () => server.close() };
}

/** Fills the index. @returns the key for pages */
async function fill(base: string): Promise<string> {
  const client = new Client(base, MASTER_KEY);
  const settings = { searchableAttributes: ['title'], filterableAttributes: ['genre', 'format'], sortableAttributes: ['price'] };
  await client.change('PATCH', '/indexes/books/settings', JSON.stringify(settings));
  await client.change('POST', '/indexes/books/documents?primaryKey=id', JSON.stringify(BOOKS));
  const { results } = (await client.json('GET', '/keys')) as { results: { key: string; actions: string[] }[] };
  return results.find(({ actions }) => isDeepStrictEqual(actions, ['search']))!.key;
}

t.test('an InstantSearch page searches, refines, turns pages, sorts and marks what was found', async (t) => {
  const server = await startServer({ masterKey: MASTER_KEY });
  t.teardown(() => server.remove());
  const key = await fill(server.base);
  const site = await servePage();
  t.teardown(() => site.close());
  const browser = await launchChromium();
  t.teardown(() => browser.close());
  const page = await browser.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));

  const choices: Choices = {};
  const step = async (name: string, change: Choices, act: () => Promise<unknown>): Promise<void> => {
    // every choice but that of a page leads back to the first one
    Object.assign(choices, { page: 0 }, change);
    await act();
    await shows(t, page, expectedView(choices), name);
  };
  const box = page.locator('#box input');
  const facet = (list: string, value: string) => page.locator(`${list} input[value="${value}"]`).click();
  const turnTo = (number: number) => page.locator('#pages a', { hasText: new RegExp(`^${number}$`) }).click();
  const sortBy = (value: string) => page.locator('#sort select').selectOption(value);

  await step('the page opens on all documents', {}, () =>
    page.goto(`${site.base}?${new URLSearchParams({ server: server.base, key })}`),
  );
  await step('a page turned without a query', { page: 5 }, () => turnTo(6));
  await step('words found as they are typed, and marked', { query: 'harb' }, () => box.pressSequentially('harb'));
  await step('a facet', { genres: ['novel'] }, () => facet('#genre', 'novel'));
  await step('the next page', { page: 1 }, () => turnTo(2));
  await step('the cheapest first', { price: 'asc' }, () => sortBy('books:price:asc'));
  await step('the next page in that order', { page: 1 }, () => turnTo(2));
  await step('a second value of the facet', { genres: ['novel', 'essay'] }, () => facet('#genre', 'essay'));
  await step('a second facet', { formats: ['audio'] }, () => facet('#format', 'audio'));
  await step('the most expensive first', { price: 'desc' }, () => sortBy('books:price:desc'));
  await step('a value taken back', { genres: ['essay'] }, () => facet('#genre', 'novel'));
  await step('the query taken back', { query: '' }, () => box.fill(''));

  await page.locator('#genre input[type=search]').fill('poe');
  await page.waitForFunction(() => document.querySelectorAll('#genre .ais-RefinementList-item').length === 1);
  const { genre } = await page.evaluate(readView);
  t.same(Object.keys(genre), ['poetry'], 'a search among the values of a facet');
  t.same(faults, [], 'the browser reports no error');
});
