import fs from 'node:fs';
import t from 'tap';
import { ENGINE_FILE } from '../../bindings/test/engine.js';
import { bundleForBrowsers } from './bundle.js';
import { launchChromium } from './launch.js';
import { asked, sample, stable } from './sample.js';
import { askServer, type Corpus, type SavedIndex, SEARCH_ALL } from './saved-index.js';
import { vectorSample } from './vector-sample.js';

/** A real browser opens the segment files a server wrote and must answer as the server did. */

async function askBrowser(saved: SavedIndex, bodies: readonly string[]): Promise<{ answers: string[]; version: string }> {
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

const CORPORA: Record<string, Corpus> = {
  words: { ...sample, bodies: sample.requests.map((request) => JSON.stringify(asked(request))) },
  vectors: vectorSample(),
};

for (const [name, corpus] of Object.entries(CORPORA)) {
  t.test(`a browser answers from the files as the server did: ${name}`, async (t) => {
    const { answers: expected, ...saved } = await askServer(corpus);
    const { answers, version } = await askBrowser(saved, corpus.bodies);
    t.comment(`Chromium ${version}, ${saved.files.length} segment file(s)`);
    t.equal(answers.length, corpus.bodies.length);
    for (const [k, body] of corpus.bodies.entries()) {
      const [here, there] = [JSON.parse(answers[k] as string), JSON.parse(expected[k] as string)];
      t.same({ ...stable(here), code: here.code }, { ...stable(there), code: there.code }, body);
    }
  });
}
