import t from 'tap';
import { EngineBench } from '../../test/differential/engine-index.js';
import { completeSettings } from '../../test/oracle/settings.js';
import { LocalIndex } from '../local-index.js';

const bench = new EngineBench();
const settings = completeSettings({});
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Documents from a few bytes to several times what is read of a file at once. */
const documents = Array.from({ length: 60 }, (_, id) => ({
  internalId: id,
  json: JSON.stringify({ id, title: `common title ${id % 7}`, text: `sentence ${id} of a long text. `.repeat((id * id) % 4000) }),
}));
const files = bench.files(settings, documents, { segments: 3, memories: 2 });

function hitsOf(index: LocalIndex, q: string): unknown {
  const body = { q, limit: 60, attributesToHighlight: ['title'], attributesToRetrieve: ['*'] };
  return JSON.parse(decoder.decode(index.search(encoder.encode(JSON.stringify(body))))).hits;
}

t.test('files that are too large for their memory are read where they are', async (t) => {
  const whole = new LocalIndex(bench.module, files);
  const [{ length: some = 0 } = {}] = files.segments.map(({ file }) => file);
  for (const wholeBytes of [0, some]) {
    const apart = new LocalIndex(bench.module, { ...files, wholeBytes });
    for (const q of ['common', 'title 3', 'sentence 59', '']) t.same(hitsOf(apart, q), hitsOf(whole, q), `${q} of ${wholeBytes}`);
  }
});

t.test('files that fit need not be kept', async (t) => {
  const segments = files.segments.map((segment) => ({ ...segment, file: segment.file.slice() }));
  const index = new LocalIndex(bench.module, { ...files, segments });
  const before = hitsOf(new LocalIndex(bench.module, files), 'common');
  for (const { file } of segments) file.fill(0);
  t.same(hitsOf(index, 'common'), before);
});
