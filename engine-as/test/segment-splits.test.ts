import t from 'tap';
import { PLAIN_CONFIG } from '../../bindings/test/builder-config.js';
import { type SeededRandom, seededRandom } from '../../bindings/test/random.js';
import type { FileSplit, SegmentFile } from './segment-file.js';
import { build, SEED } from './segment-support.js';

/** Every division of every term into two terms, and the documents where they stand side by side, from the positions of all terms. */
function splitsOf(file: SegmentFile): FileSplit[] {
  const terms = file.terms();
  const numbers = new Map(terms.map(({ text }, number) => [text, number]));
  const codesOf = (text: string) =>
    new Map((terms[numbers.get(text) ?? -1]?.postings ?? []).map(({ doc, codes }) => [doc, codes] as const));
  return terms.flatMap(({ text }, term) =>
    [...text].slice(1).flatMap((_, i) => {
      const left = [...text].slice(0, i + 1).join('');
      const rights = codesOf(text.slice(left.length));
      const docs = [...codesOf(left)].flatMap(([doc, codes]) =>
        codes.some((code) => code % 65536 < 65535 && rights.get(doc)?.includes(code + 1)) ? [doc] : [],
      );
      return docs.length === 0 ? [] : [{ term, leftBytes: Buffer.byteLength(left), docs }];
    }),
  );
}

const LETTERS = ['a', 'b', 'é', '7'];
const word = (random: SeededRandom, most: number) =>
  Array.from({ length: 1 + random.int(most) }, () => random.pick(LETTERS)).join('');

t.test('splits of words agree with the positions of their halves', async (t) => {
  const random = seededRandom(SEED);
  let filled = 0;
  for (let round = 0; round < 30; round++) {
    const most = random.pick([1, 3, 6]);
    const documents = Array.from({ length: random.pick([1, 9, 200]) }, (_, id) => {
      const text = () =>
        Array.from({ length: random.int(12) }, () => word(random, most)).join(random.pick([' ', ' ', '. ', ' - ', '\n']));
      return { id, key: String(id), json: JSON.stringify({ id, f: text(), g: [text(), text()] }) };
    });
    const { file } = build(PLAIN_CONFIG, documents);
    const expected = splitsOf(file);
    filled += expected.length;
    t.same(file.splits(), expected, `seed ${SEED} round ${round}`);
  }
  t.ok(filled > 1000, 'segments with splits were built');
});

t.test('a dictionary with very many splits stores none', async (t) => {
  const words = (longest: number) => Array.from({ length: longest }, (_, i) => 'a'.repeat(i + 1)).join(' ');
  const splitsWith = (longest: number) =>
    build(PLAIN_CONFIG, [{ id: 0, key: '0', json: JSON.stringify({ id: 'b', f: words(longest) }) }]).file.splits();
  t.equal(splitsWith(30)?.length, 14);
  t.equal(splitsWith(60), null);
});
