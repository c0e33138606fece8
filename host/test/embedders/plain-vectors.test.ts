import t from 'tap';
import { ApiError } from '../../../bindings/errors.js';
import { seededRandom } from '../../../bindings/test/random.js';
import { VectorWork } from '../../index/build/vectors/work.js';
import { DEFAULT_SETTINGS } from '../../index/settings/settings.js';

const embedder = (id: number, dimensions: number) => ({ source: 'userProvided' as const, dimensions, id });

t.test('counting vectors accepts the same documents as parsing them', (t) => {
  const random = seededRandom(11);
  const settings = { ...DEFAULT_SETTINGS, embedders: { own: embedder(0, 2), constructor: embedder(1, 3) } };
  const works = [new VectorWork('a', settings), new VectorWork('a', DEFAULT_SETTINGS)];
  const number = () => random.pick(['0', '-1', '1.5', '1e-7', '-2.5E+3', '12345678901234567890']);
  const blank = () => random.pick(['', '', ' ', '\n\t']);
  const list = (items: string[]) => `[${blank()}${items.join(`${blank()},${blank()}`)}${blank()}]`;
  const numbers = () => list(Array.from({ length: random.int(5) }, number));
  const value = (): string => {
    const kind = random.int(12);
    if (kind < 6) return numbers();
    if (kind === 6) return list([numbers(), numbers()]);
    if (kind === 7)
      return random.pick(['null', '{}', '"x"', '5', 'true', '[null]', '["e"]', '[true,1]', '[1,[2]]', '[{}]', '[[]]']);
    return `{"embeddings":${random.pick(['null', numbers()])},"regenerate":${random.pick(['true', 'false', '1'])}}`;
  };
  const names = ['own', 'constructor', 'other', 'o\\u0077n', '__proto__'];
  const outcome = (work: VectorWork, read: 'entries' | 'checkedEntries', json: Uint8Array, exists: boolean) => {
    try {
      const entries = work[read]('7', json);
      return { names: [...entries.keys()].sort(), lacking: work.lacking(entries, exists) };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { code: error.code, message: error.message };
    }
  };
  const met = new Set<string>();
  for (let round = 0; round < 5000; round++) {
    const members = Array.from({ length: random.int(4) }, () => `"${random.pick(names)}"${blank()}:${blank()}${value()}`);
    const vectors = random.int(20) === 0 ? random.pick(['null', '[]', '5', '[1,2]']) : `{${blank()}${members.join()}}`;
    const json = new TextEncoder().encode(`{"id":7,"_vectors":${blank()}${vectors},"text":"[1,2]"}`);
    for (const work of works) {
      const [exists, read] = [random.int(2) === 0, [] as unknown[]];
      for (const how of ['entries', 'checkedEntries'] as const) read.push(outcome(work, how, json, exists));
      const [all, counted] = read as { code?: string }[];
      met.add(all?.code ?? 'accepted');
      if (JSON.stringify(all) !== JSON.stringify(counted)) t.same(counted, all, new TextDecoder().decode(json));
    }
  }
  t.same([...met].sort(), ['accepted', 'invalid_vector_dimensions', 'invalid_vectors_type']);
  t.end();
});
