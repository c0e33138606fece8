import t from 'tap';
import { kernelFunctions, UNIT_BYTES } from '../../bindings/engine/exports.js';
import { EngineInstance, STATIC_END } from '../../bindings/engine/instance.js';
import { ScratchExhausted } from '../../bindings/errors.js';
import { type KernelInstance, kernelModule } from '../../bindings/test/engine.js';
import { type SeededRandom, seededRandom } from '../../bindings/test/random.js';

const SEED = Number(process.env.SEED ?? 14);
const PAGE = 65536;
const OWN_BYTES = 1 << 20;
const PERSISTENT_BYTES = PAGE;
const UNITS = 64;

/** Instances over one memory, each with little scratch of its own, that share a pool. */
function instances(count: number, limit: number) {
  const table = STATIC_END + count * (OWN_BYTES + PERSISTENT_BYTES);
  const units = table + PAGE;
  const pages = (units + UNITS * UNIT_BYTES) / PAGE;
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
  const open = (number: number) => {
    const start = STATIC_END + number * (OWN_BYTES + PERSISTENT_BYTES);
    const end = start + OWN_BYTES + PERSISTENT_BYTES;
    const pool = { table, units, count: UNITS, owner: number + 1, limit };
    return new EngineInstance(kernelModule(), { memory, start, persistentBytes: PERSISTENT_BYTES, end, pool }, kernelFunctions);
  };
  const owners = () => [...new Uint32Array(memory.buffer, table, UNITS)];
  return { open, owners, all: Array.from({ length: count }, (_, number) => open(number)) };
}

interface Piece {
  at: number;
  bytes: number;
  fill: number;
}

/** Allocates and releases at random, in nested scopes; every allocation must keep its content. */
class Walk {
  readonly #pieces: Piece[] = [];
  readonly #marks: { mark: number; pieces: number }[] = [];

  constructor(
    readonly engine: KernelInstance,
    readonly random: SeededRandom,
  ) {}

  step(): void {
    const { engine, random } = this;
    const choice = random.int(10);
    if (choice < 6) this.#reserve(random.pick([0, 1, 100, 5000, 70_000, 300_000, 900_000]));
    else if (choice < 7) this.#lengthen();
    else if (choice < 9) this.#marks.push({ mark: engine.exports.arenaMark(), pieces: this.#pieces.length });
    else this.#release();
  }

  #reserve(bytes: number): void {
    const { engine, random } = this;
    const fill = random.int(256);
    try {
      const at = engine.alloc(bytes);
      engine.bytes.fill(fill, at, at + bytes);
      this.#pieces.push({ at, bytes, fill });
    } catch (error) {
      if (!(error instanceof ScratchExhausted)) throw error;
      this.#release();
    }
  }

  #lengthen(): void {
    const last = this.#pieces.at(-1);
    // Only memory that was allocated after the last mark may grow.
    if (!last || this.#pieces.length <= (this.#marks.at(-1)?.pieces ?? 0)) return;
    const bytes = last.bytes + this.random.int(200_000);
    try {
      const at = this.engine.exports.allocMore(last.at, bytes);
      this.engine.bytes.fill(last.fill, at + last.bytes, at + bytes);
      Object.assign(last, { at, bytes });
    } catch (error) {
      if (!(error instanceof ScratchExhausted)) throw error;
    }
  }

  #release(): void {
    const scope = this.#marks.pop();
    if (!scope) return;
    this.engine.exports.arenaReset(scope.mark);
    this.#pieces.length = scope.pieces;
  }

  end(first: number): void {
    this.engine.exports.arenaReset(first);
    this.#pieces.length = 0;
    this.#marks.length = 0;
  }

  /** An allocation whose content has changed. */
  get damaged(): Piece | undefined {
    const memory = Buffer.from(this.engine.memory.buffer);
    return this.#pieces.find(({ at, bytes, fill }) => !memory.subarray(at, at + bytes).equals(Buffer.alloc(bytes, fill)));
  }
}

t.test('instances that share a scratch pool are isolated, and free everything', async (t) => {
  t.comment(`seed ${SEED}`);
  const random = seededRandom(SEED);
  for (let round = 0; round < 20; round++) {
    const { all, owners } = instances(3, random.pick([2, 6, 16]) << 20);
    const firsts = all.map((engine) => engine.exports.arenaMark());
    const walks = all.map((engine) => new Walk(engine, random));
    for (let step = 0; step < 60; step++) {
      for (const walk of walks) walk.step();
      const damaged = step % 10 === 9 && walks.find((walk) => walk.damaged);
      if (damaged) t.fail(`round ${round}, step ${step}: a piece was overwritten`);
    }
    walks.forEach((walk, i) => {
      walk.end(firsts[i] as number);
    });
    t.ok(
      owners().every((owner) => owner === 0),
      'all units are free',
    );
  }
});

t.test('scratch memory is limited per instance and in all', async (t) => {
  const { all, owners } = instances(3, 8 << 20);
  const [first, second, third] = all as [KernelInstance, KernelInstance, KernelInstance];
  const refusal = (job: () => unknown) => {
    try {
      job();
    } catch (error) {
      if (error instanceof ScratchExhausted) return error.code;
      throw error;
    }
    return null;
  };
  t.equal(
    refusal(() => first.scoped(() => first.alloc(9 << 20))),
    'bad_request',
  );
  t.equal(
    refusal(() => first.scoped(() => first.alloc(0xfffffff0))),
    'bad_request',
    'more than there are addresses',
  );
  t.equal(
    refusal(() => first.scoped(() => first.alloc(7 << 20))),
    null,
  );
  t.ok(
    owners().every((owner) => owner === 0),
    'released',
  );
  const mark = first.exports.arenaMark();
  first.alloc(7 << 20);
  t.equal(
    refusal(() => second.alloc(7 << 20)),
    null,
  );
  t.equal(
    refusal(() => third.alloc(7 << 20)),
    'too_many_search_requests',
  );
  first.exports.arenaReset(mark);
  t.equal(
    refusal(() => third.alloc(7 << 20)),
    null,
    'there is room again',
  );
});

t.test('scratch memory of a dead instance is freed by its successor', async (t) => {
  const { all, open, owners } = instances(2, 8 << 20);
  const [first, second] = all as [KernelInstance, KernelInstance];
  first.alloc(3 << 20);
  second.alloc(3 << 20);
  const held = owners().filter((owner) => owner !== 0).length;
  open(0);
  t.same(
    owners().filter((owner) => owner !== 0),
    new Array(held / 2).fill(2),
  );
});
