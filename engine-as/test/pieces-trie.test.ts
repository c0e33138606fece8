import t from 'tap';
import { loadKernels } from '../../bindings/test/engine.js';
import { seededRandom } from '../../bindings/test/random.js';

const SEED = Number(process.env.SEED ?? 20261);
const engine = loadKernels();
const random = seededRandom(SEED);
t.comment(`seed ${SEED}`);

type Trie = ReturnType<typeof engine.exports.trieCreate>;

/** The node of a text, by its edges; 0: there is none. */
function nodeOf(trie: Trie, text: Uint8Array): number {
  let node = engine.exports.nodeOfByte(text[0] as number);
  for (const byte of text.subarray(1)) {
    if (node !== 0) node = engine.exports.edgeChild(engine.exports.trieEdge(trie, node, byte));
  }
  return node;
}

function hasValue(trie: Trie, text: Uint8Array): boolean {
  const parent = nodeOf(trie, text.subarray(0, -1));
  return parent !== 0 && Boolean(engine.exports.edgeHasValue(engine.exports.trieEdge(trie, parent, text.at(-1) as number)));
}

t.test('texts are found as they were inserted, until there is no room', async (t) => {
  const trie = engine.exports.trieCreate();
  const room = engine.alloc(32);
  for (const [letters, most] of [
    [2, 2000],
    [256, 40_000],
  ] as const) {
    engine.exports.trieClear(trie);
    const texts = new Map<string, number>();
    const prefixes = new Set<string>();
    let refused = 0;
    for (let i = 0; i < most; i++) {
      const text = Uint8Array.from({ length: 2 + random.int(12) }, () => random.int(letters));
      engine.bytes.set(text, room);
      const first = engine.exports.nodeOfByte(text[0] as number);
      const node =
        random.int(2) === 0
          ? engine.exports.trieInsert(trie, room, text.length)
          : engine.exports.trieExtend(trie, first, room + 1, text.length - 1);
      const key = Buffer.from(text).toString('hex');
      if (node === 0 && !texts.has(key)) refused++;
      if (node !== 0) {
        if (texts.has(key)) t.fail(`${key} is inserted twice`);
        texts.set(key, node);
        for (let end = 2; end <= key.length; end += 2) prefixes.add(key.slice(0, end));
      }
    }
    const wrong = [...texts].filter(([key, node]) => nodeOf(trie, Buffer.from(key, 'hex')) !== node);
    t.same(wrong, [], `${texts.size} texts of ${letters} letters have the nodes that they were given`);
    t.equal(new Set(texts.values()).size, texts.size, 'each its own');
    const asked = [...prefixes].filter((key) => key.length > 2).slice(0, 20_000);
    t.same(
      asked.filter((key) => hasValue(trie, Buffer.from(key, 'hex')) !== texts.has(key)),
      [],
      'those that were inserted have a value, their beginnings do not',
    );
    t.equal(refused > 0, letters === 256, `${refused} texts had no room`);
  }
});
