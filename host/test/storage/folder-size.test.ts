import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { folderSize } from '../../storage/folder-size.js';

/** Folders of which half are removed while they are read. */
const FOLDERS = 200;
const FILE_BYTES = 10;

t.test('files below a folder are counted, at any depth', async (t) => {
  const folder = t.testdir({ a: 'x'.repeat(3), b: { c: 'y'.repeat(4), d: { e: 'z'.repeat(5) } }, empty: {} });
  t.equal(await folderSize(folder), 12);
  t.equal(await folderSize(path.join(folder, 'absent')), 0);
});

t.test('folders that disappear while they are read count as nothing', async (t) => {
  const names = Array.from({ length: FOLDERS }, (_, k) => `index-${k}`);
  const folder = t.testdir(Object.fromEntries(names.map((name) => [name, { file: 'x'.repeat(FILE_BYTES) }])));
  const kept = names.filter((_, k) => k % 2 === 0);
  const removed = names.filter((_, k) => k % 2 === 1);
  const sizes = Promise.all(Array.from({ length: 8 }, () => folderSize(folder)));
  await Promise.all(removed.map((name) => fs.promises.rm(path.join(folder, name), { recursive: true })));
  for (const size of await sizes) {
    t.ok(size >= kept.length * FILE_BYTES && size <= names.length * FILE_BYTES, `${size} bytes`);
  }
  t.equal(await folderSize(folder), kept.length * FILE_BYTES);
});
