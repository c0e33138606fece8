import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FOLDERS = ['.', 'bench', 'engine-as', 'docs/decisions', 'docs/guide', 'docs/reference'];
/** A file of this repository, or one that the build makes of it. */
const FILE = /\b(?:dist|host|bindings|bench|test|scripts|engine-as)\/[\w./-]+\.(?:js|mjs|ts|py|c|md)\b/g;
const LINK = /\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)/g;

const pages = FOLDERS.flatMap((folder) =>
  fs
    .readdirSync(path.join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => path.join(folder, name)),
);
const textOf = (page: string) => fs.readFileSync(path.join(ROOT, page), 'utf8');
const exists = (file: string) => fs.existsSync(path.join(ROOT, file));

/** The anchors of the headings of a page. */
function anchorsOf(page: string): string[] {
  const headings = textOf(page).matchAll(/^#+ (.*)$/gm);
  return Array.from(headings, ([, text]) =>
    text!
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}

for (const page of pages) {
  t.test(page, async (t) => {
    const folder = path.dirname(page);
    for (const [file] of textOf(page).matchAll(FILE))
      if (!exists(file) && !exists(path.join(folder, file))) t.fail(`there is no file ${file}`);
    for (const [link, target, anchor] of textOf(page).matchAll(LINK)) {
      const to = target ? path.join(folder, target) : page;
      if (!exists(to)) t.fail(`${link} leads to no file`);
      else if (anchor && !anchorsOf(to).includes(anchor)) t.fail(`${link} leads to no heading`);
    }
    t.pass('every file that it names exists');
  });
}
