import t from 'tap';
import { box, line, randomArea, randomShape, ShapeIndex } from './geojson-case.js';
import { seededRandom } from './random.js';

const SEED = Number(process.env.SEED ?? 314);
t.comment(`seed ${SEED}`);

t.test('random shapes and areas agree with a naive implementation', (t) => {
  const random = seededRandom(SEED + 1);
  let met = 0;
  for (let i = 0; i < 50; i++) {
    const grid = random.pick([1, 2, 1000]);
    const index = new ShapeIndex(Array.from({ length: 40 }, () => randomShape(random, grid)));
    for (let k = 0; k < 10; k++) met += index.meeting(randomArea(random, grid)).filter(Boolean).length;
  }
  t.ok(met > 2000 && met < 18_000, `${met} meet`);
  t.end();
});

t.test('documents of several segments, with and without memory for shapes', (t) => {
  const random = seededRandom(SEED + 2);
  for (const cacheBytes of [undefined, 1 << 18, 0]) {
    const shapes = Array.from({ length: 1200 }, () =>
      random.pick([undefined, null, randomShape(random, 2), randomShape(random, 2)]),
    );
    const index = new ShapeIndex(shapes, { segments: 3, memories: 2, ...(cacheBytes === undefined ? {} : { cacheBytes }) });
    for (let i = 0; i < 10; i++) t.ok(index.meeting(randomArea(random, 2)).length, `area ${i} with ${cacheBytes} bytes`);
  }
  t.end();
});

t.test('more documents than are kept together, among them one with very many positions', (t) => {
  const random = seededRandom(SEED + 3);
  const zigzag = line(...Array.from({ length: 70_000 }, (_, i) => [i / 1000, i % 2]));
  const shapes = Array.from({ length: 2500 }, (_, id) => (id === 1500 ? zigzag : randomShape(random, 2)));
  const index = new ShapeIndex(shapes);
  for (let round = 0; round < 2; round++) {
    t.ok(index.meeting(box(0.5, 69, 0.25, 68))[1500], 'it crosses a box');
    t.notOk(index.meeting(box(3, 69, 2, 68))[1500], 'it does not reach another');
  }
  t.end();
});
