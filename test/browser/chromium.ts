import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { ENGINE_FILE } from '../../bindings/test/engine.js';
import type { IndexRecord } from '../../host/index/types.js';
import { Ledger } from '../../host/storage/ledger.js';
import { Client, startServer } from '../server.js';
import { BUNDLE_GLOBAL, bundleForBrowsers } from './bundle.js';
import { launchChromium } from './launch.js';
import { asked, QUERIES, sample, stable } from './sample.js';

/** A real browser opens the segment files a server wrote and must answer as the server did. */

const UID = 'sample';

interface Saved {
  record: IndexRecord;
  /** Segment files in base64. */
  files: string[];
}

/** What the server answers to each request, and what it leaves on disk. */
async function askServer(bodies: readonly string[]): Promise<Saved & { answers: string[] }> {
  const server = await startServer();
  const client = new Client(server.base);
  const answers: string[] = [];
  try {
    await client.json('PATCH', '/experimental-features', { containsFilter: true });
    await client.change('PATCH', `/indexes/${UID}/settings`, JSON.stringify(sample.settings));
    await client.change('POST', `/indexes/${UID}/documents?primaryKey=id`, `[${sample.documents.join(',')}]`);
    for (const body of bodies) answers.push((await client.send('POST', `/indexes/${UID}/search`, body)).text);
    await server.stop();
    return { ...(await readIndex(server.dataFolder)), answers };
  } finally {
    await server.remove();
  }
}

async function readIndex(folder: string): Promise<Saved> {
  const ledger = await Ledger.open(path.join(folder, 'ledger'));
  try {
    const stored = await ledger.get(`index/${UID}`);
    const record = JSON.parse(String(stored)) as IndexRecord;
    const files = record.segments.map(({ file }) => fs.readFileSync(path.join(folder, 'segments', file), 'base64'));
    return { record, files };
  } finally {
    await ledger.close();
  }
}

/** Runs inside the page; its text is all that gets there. */
const SEARCH_ALL = `({ engine, record, files, bodies }) => {
  const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const { uid, primaryKey, settings, fields } = record;
  const segments = files.map((file) => ({ file: bytes(file) }));
  const module = new WebAssembly.Module(bytes(engine));
  const index = new ${BUNDLE_GLOBAL}.LocalIndex(module, { uid, primaryKey, settings, fields, segments });
  return bodies.map((body) => {
    try {
      return new TextDecoder().decode(index.search(new TextEncoder().encode(body)));
    } catch (error) {
      if (error instanceof ${BUNDLE_GLOBAL}.ApiError) return JSON.stringify({ code: error.code });
      throw error;
    }
  });
}`;

async function askBrowser(saved: Saved, bodies: readonly string[]): Promise<{ answers: string[]; version: string }> {
  const browser = await launchChromium();
  try {
    const page = await browser.newPage();
    await page.addScriptTag({ content: await bundleForBrowsers() });
    const input = { ...saved, engine: fs.readFileSync(ENGINE_FILE, 'base64'), bodies };
    const answers = await page.evaluate<string[]>(`(${SEARCH_ALL})(${JSON.stringify(input)})`);
    return { answers, version: browser.version() };
  } finally {
    await browser.close();
  }
}

t.test('a browser answers from the files as the server did', async (t) => {
  const bodies = sample.requests.map((request) => JSON.stringify(asked(request)));
  const { answers: expected, ...saved } = await askServer(bodies);
  const { answers, version } = await askBrowser(saved, bodies);
  t.comment(`Chromium ${version}, ${saved.files.length} segment file(s)`);
  t.equal(answers.length, QUERIES);
  for (const [k, body] of bodies.entries()) {
    const [here, there] = [JSON.parse(answers[k] as string), JSON.parse(expected[k] as string)];
    t.same({ ...stable(here), code: here.code }, { ...stable(there), code: there.code }, body);
  }
});
