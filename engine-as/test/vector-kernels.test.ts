import t from 'tap';
import { loadKernels } from '../../bindings/test/engine.js';
import { seededRandom } from '../../bindings/test/random.js';

const SEED = Number(process.env.SEED ?? 4517);
const CASES = 200;
/** Vectors whose codes are interleaved. */
const BLOCK = 32;
t.comment(`seed ${SEED}`);

const engine = loadKernels();
const random = seededRandom(SEED);

const float = () => random.int(20001) / 10000 - 1;
const floats = (length: number) => Float32Array.from({ length }, float);
const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);

function put(values: Float32Array | Int8Array | Int16Array | Uint8Array): number {
  return engine.put(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
}

function close(found: number, expected: number, scale: number, label: string): void {
  if (Math.abs(found - expected) > 1e-5 * Math.max(1, scale)) t.equal(found, expected, label);
}

t.test('similarities of vectors whose squares exceed 32 bits', (t) => {
  const similarity = (one: number[], other: number[]) =>
    engine.scoped(() => {
      const [query, vector] = [put(Float32Array.from(one)), put(Float32Array.from(other))];
      const norm = engine.exports.normF32(query, one.length);
      return engine.exports.cosineSimilarity(query, norm, vector, one.length);
    });
  for (const size of [1, 1e10, 1e18, 1e19, 2e19, 1e30, 1.5e38]) {
    for (const other of [1, 1e19, 1.5e38]) {
      t.equal(similarity([size, size], [other, other]), 1, `${size} and ${other}: equal directions`);
      t.equal(similarity([size, size], [-other, -other]), 0, `${size} and ${other}: opposite ones`);
      t.equal(similarity([size, 0], [0, other]), 0.5, `${size} and ${other}: orthogonal ones`);
    }
    t.equal(similarity([size, size], [0, 0]), 1, `${size}: zeros are similar to everything`);
    t.equal(similarity([0, 0], [size, size]), 1);
    const [one, other] = [Array(40).fill(size), [...Array(20).fill(size), ...Array(20).fill(-size)]];
    t.equal(similarity(one, other), 0.5, `${size}: many components`);
  }
  t.end();
});

t.test('products of floats and magnitudes agree with loops', (t) => {
  for (let i = 0; i < CASES; i++) {
    engine.scoped(() => {
      const [left, right] = [floats(1 + random.int(300)), floats(300)];
      const products = [...left].map((value, k) => value * (right[k] as number));
      close(engine.exports.dotF32(put(left), put(right), left.length), sum(products), products.length, `dot ${i}`);
      const whole = floats(64 * (1 + random.int(8)));
      const magnitudes = [...whole].map(Math.abs);
      const at = put(whole);
      close(engine.exports.sumMagnitudes(at, whole.length), sum(magnitudes), magnitudes.length, `sum ${i}`);
      t.equal(engine.exports.largestMagnitude(at, whole.length), Math.max(...magnitudes));
    });
  }
  t.end();
});

t.test('products of bytes agree with loops, at the extremes too', (t) => {
  for (let i = 0; i < CASES; i++) {
    engine.scoped(() => {
      const length = 64 * (1 + random.int(i === 0 ? 256 : 16));
      const extreme = random.int(4) === 0;
      const left = Int16Array.from({ length }, () => (extreme ? 4095 : random.int(8191) - 4095));
      const right = Int8Array.from({ length }, () => (extreme ? 127 : random.int(255) - 127));
      const products = [...left].map((value, k) => value * (right[k] as number));
      const scale = 0.1 * sum(products.map(Math.abs));
      close(engine.exports.dotI16I8(put(left), put(right), length), sum(products), scale, `bytes ${i}`);
      const out = engine.alloc(2 * length);
      engine.exports.widenI8(put(right), length, out);
      t.same([...new Int16Array(engine.memory.buffer, out, length)], [...right]);
    });
  }
  t.end();
});

t.test('table entries for the codes of a block are summed, also over very many components', (t) => {
  for (let i = 0; i < CASES; i++) {
    engine.scoped(() => {
      const count = 4 * (1 + random.int(i === 0 ? 600 : 64));
      const greatest = i === 0;
      const tables = Uint8Array.from({ length: 16 * count }, () => (greatest ? 63 : random.int(64)));
      const nibbles = Uint8Array.from({ length: 16 * count }, () => random.int(256));
      const out = engine.alloc(4 * BLOCK);
      engine.exports.sumNibbles(put(nibbles), put(tables), count, out);
      const expected = Array.from({ length: BLOCK }, (_, vector) =>
        sum(
          Array.from({ length: count }, (_, table) => {
            const byte = nibbles[16 * table + (vector % 16)] as number;
            return tables[16 * table + (vector < 16 ? byte & 15 : byte >> 4)] as number;
          }),
        ),
      );
      t.same([...new Float32Array(engine.bytes.slice(out, out + 4 * BLOCK).buffer)], expected);
    });
  }
  t.end();
});

t.test('tables have the signed sums of components', (t) => {
  for (let i = 0; i < CASES; i++) {
    engine.scoped(() => {
      const count = 4 * (1 + random.int(64));
      const components = i === 0 ? new Float32Array(4 * count) : floats(4 * count);
      const out = engine.alloc(16 * count);
      const step = engine.exports.nibbleTables(put(components), count, out);
      const entries = engine.bytes.slice(out, out + 16 * count);
      t.ok(Math.max(...entries) <= 63);
      for (let table = 0; table < count; table++) {
        const own = [...components.subarray(4 * table, 4 * table + 4)];
        for (let entry = 0; entry < 16; entry++) {
          const expected = sum(own.map((value, bit) => ((entry >> bit) & 1 ? value : -value) + Math.abs(value)));
          const found = (entries[16 * table + entry] as number) * step;
          if (Math.abs(found - expected) > 0.5 * step + 1e-5) t.equal(found, expected, `table ${table}, entry ${entry}`);
        }
      }
    });
  }
  t.end();
});

t.test('the rotation keeps lengths and angles, and spreads a single component', (t) => {
  for (const dimensions of [1, 2, 64, 65, 192, 256, 768, 1000, 1536]) {
    engine.scoped(() => {
      const length = engine.exports.paddedDimensions(dimensions);
      t.equal(length, Math.ceil(dimensions / 64) * 64);
      const pair = [0, 1].map(() => {
        const values = new Float32Array(length);
        values.set(floats(dimensions));
        return values;
      }) as [Float32Array, Float32Array];
      const dot = ([a, b]: [Float32Array, Float32Array]) => sum([...a].map((value, k) => value * (b[k] as number)));
      const rotated = pair.map((values) => {
        const at = put(values);
        engine.exports.rotate(at, length);
        return new Float32Array(engine.bytes.slice(at, at + 4 * length).buffer);
      }) as [Float32Array, Float32Array];
      close(dot(rotated), dot(pair), dimensions, `angle in ${dimensions} dimensions`);
      for (const k of [0, 1] as const) close(dot([rotated[k], rotated[k]]), dot([pair[k], pair[k]]), dimensions, 'length');
      const single = new Float32Array(length);
      single[dimensions - 1] = 1;
      const at = put(single);
      engine.exports.rotate(at, length);
      const spread = new Float32Array(engine.bytes.slice(at, at + 4 * length).buffer);
      const most = Math.max(...spread.map(Math.abs));
      if (length >= 64) t.ok(most < 6 / Math.sqrt(length), `${dimensions} dimensions: the greatest of them is ${most}`);
    });
  }
  t.end();
});

t.test('fresh neighbours are those that a bitmap has not', (t) => {
  const NONE = 0xffffffff;
  const [header, most] = [32, 32];
  for (let i = 0; i < CASES; i++) {
    engine.scoped(() => {
      const count = 40 + random.int(300);
      const neighbours = new Set(Array.from({ length: random.int(most + 1) }, () => random.int(count)));
      // header, the only level and the neighbours of a single member; see vector/graph.ts
      const words = new Uint32Array(header / 4 + most).fill(NONE);
      words.set([1, 0, 4 * words.length, 0, 1, 0, 0, header]);
      words.set([...neighbours], header / 4);
      const visited = new Set(Array.from({ length: count }, (_, place) => place).filter(() => random.int(2) === 0));
      const bitmap = new Uint8Array(128);
      for (const place of visited) bitmap[place >> 3]! |= 1 << (place & 7);
      const [graph, bits, out] = [put(new Uint8Array(words.buffer)), put(bitmap), engine.alloc(4 * (most + 1))];
      const fresh = engine.exports.listFresh(graph, 0, 0, bits, out);
      t.same(
        [...new Uint32Array(engine.memory.buffer, out, fresh)],
        [...neighbours].filter((place) => !visited.has(place)),
      );
      for (const place of neighbours) bitmap[place >> 3]! |= 1 << (place & 7);
      t.same([...new Uint8Array(engine.memory.buffer, bits, bitmap.length)], [...bitmap]);
    });
  }
  t.end();
});

t.test('a walk keeps the nearest members, equal ones in the order in which they were met', (t) => {
  for (let i = 0; i < CASES; i++) {
    engine.scoped(() => {
      const limit = 1 + random.int(20);
      const met = Array.from({ length: random.int(60) }, (_, place) => ({ place, cosine: random.int(16) / 16 }));
      const walk = engine.exports.walkCreate(limit, met.length);
      const kept: typeof met = [];
      for (const each of met) {
        // Walks do not visit vectors that are no nearer than the last one of a full list.
        if (kept.length === limit && each.cosine <= kept.at(-1)!.cosine) continue;
        kept.push(each);
        kept.sort((a, b) => b.cosine - a.cosine || a.place - b.place);
        kept.length = Math.min(kept.length, limit);
        const position = engine.exports.walkInsert(walk, each.cosine, each.place, limit);
        if (position !== kept.indexOf(each)) t.equal(position, kept.indexOf(each));
      }
      const entries = kept.map((_, k) => {
        const entry = engine.exports.walkCandidate(walk, k);
        const [cosine, place] = [new Float32Array(engine.memory.buffer, entry, 1)[0], engine.u32(entry + 4, 1)[0]];
        return { place, cosine };
      });
      t.same(entries, kept);
    });
  }
  t.end();
});
