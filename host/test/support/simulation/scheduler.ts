import type { SeededRandom } from '../../../../bindings/test/random.js';
import type { IndexStore } from '../../../index/index-store.js';
import type { Ledger, LedgerWrite } from '../../../storage/ledger/ledger.js';
import type { TaskPayloads } from '../../../tasks/queue/payloads.js';
import { TaskPayloads as Payloads } from '../../../tasks/queue/payloads.js';
import { TaskQueue } from '../../../tasks/queue/queue.js';
import { Scheduler, type SchedulerOptions } from '../../../tasks/scheduler/scheduler.js';
import { Faults } from './faults.js';
import { History } from './history.js';
import { SimulatedIndexes } from './indexes.js';
import { Disk, SimulatedLedger } from './ledger.js';
import { type Content, markOf, replay } from './replay.js';
import { Steps, settled } from './steps.js';
import { randomTask } from './tasks.js';

/**
 * The real scheduler, queue, executors and drafts over a ledger, jobs and models of which a seed decides when each answers and
 * what fails. The process is killed now and then and started anew over what the ledger holds.
 */

/** Steps in which tasks come and things fail; in those after them all is to end. */
const LIVELY = 60;
const MAX_STEPS = 5000;
/** One step in this many: a task is added, the process is killed, the wall clock is set. */
const REGISTERS = 4;
const KILLS = 120;
const SETS_CLOCK = 40;
/** Milliseconds. */
const CLOCK_JUMP = 20_000;

export interface Outcome {
  faults: string[];
  counts: { tasks: number; kills: number; steps: number } & History['counts'];
}

/** One life of the process. */
class Process {
  readonly steps: Steps;
  readonly indexes: SimulatedIndexes;
  readonly ledger: SimulatedLedger;
  /** Reservations of embeddings that were not released. */
  held = 0;
  queue!: TaskQueue;
  scheduler!: Scheduler;

  constructor(private readonly world: World) {
    const { random, disk, faults } = world;
    this.steps = new Steps(random);
    this.ledger = new SimulatedLedger(disk, this.steps, faults, random);
    this.indexes = new SimulatedIndexes(disk, this.steps, faults, random);
  }

  async start(): Promise<void> {
    const ledger = this.ledger as unknown as Ledger;
    const loading = TaskQueue.load(ledger, Number.POSITIVE_INFINITY);
    let loaded = false;
    loading.then(() => {
      loaded = true;
    });
    while (!loaded) {
      await settled();
      this.steps.next();
    }
    this.queue = await loading;
    this.scheduler = new Scheduler(this.#options(ledger));
    this.scheduler.start();
  }

  #options(ledger: Ledger): SchedulerOptions {
    const { world, steps } = this;
    const { faults, random } = world;
    const report = (...[facts]: unknown[]) => {
      const error = (facts as { err?: unknown }).err;
      if (error && !/the disk is broken/.test(String(error))) world.found.push(`reported: ${(error as Error).stack}`);
    };
    return {
      ledger,
      indexStore: this.indexes as unknown as IndexStore,
      queue: this.queue,
      limits: { tasks: 1 + world.random.int(10), bytes: 1 << 30, documents: 1e9 },
      payloads: this.#payloads(ledger),
      database: '',
      deliveries: {
        announce: (tasks: { uid: number }[]) => ({
          writes: tasks.map(({ uid }): LedgerWrite => ({ type: 'put', key: `announced/${uid}`, value: Buffer.alloc(0) })),
          adopt() {},
        }),
      } as unknown as SchedulerOptions['deliveries'],
      embedders: {
        uncached: () => [],
        embedDocuments: async (_order, { signal }) => {
          for (let rounds = world.random.int(5); rounds >= 0; rounds--) {
            await steps.take(() => {});
            signal.throwIfAborted();
          }
          return [];
        },
        holdEmbeddings: () => {
          this.held++;
          let released = false;
          return () => {
            if (!released) this.held--;
            released = true;
          };
        },
        settled: async (settings, _stored, { unlocked }) => {
          if (world.random.int(4) === 0) await unlocked(() => steps.take(() => {}));
          return settings;
        },
      },
      gathering: { remaining: () => (faults.calm ? 0 : random.int(3)) },
      executors: {},
      log: { info: report, warn: report, error: report } as unknown as SchedulerOptions['log'],
      pause: () => steps.take(() => {}),
    };
  }

  /** The real payloads, but that of files there are only names. */
  #payloads(ledger: Ledger): TaskPayloads {
    const payloads = new Payloads(ledger, '');
    payloads.gather = async (tasks) => {
      const imports = tasks.filter(({ work }) => work?.kind === 'import');
      for (const { uid } of imports) {
        const content = await ledger.get(`payload/${String(uid).padStart(10, '0')}`);
        // work that was given up may yet ask for that of a task that was canceled
        if (!content && this.queue.running.of(uid)) this.world.found.push(`the payload of task ${uid}, which runs, is gone`);
      }
      return { places: new Map(imports.map(({ uid }) => [uid, { file: markOf(uid), at: 0 }])), drop: async () => {} };
    };
    return payloads;
  }
}

class World {
  readonly disk = new Disk();
  readonly history = new History();
  readonly faults: Faults;
  readonly found: string[];
  kills = 0;
  passed = 0;
  skew = 0;
  process!: Process;

  constructor(readonly random: SeededRandom) {
    this.faults = new Faults(random);
    this.found = this.history.faults;
    this.disk.onWrite = (operations) => this.history.write(operations);
  }

  async begin(): Promise<void> {
    this.process = new Process(this);
    await this.process.start();
  }

  register(): void {
    const { process, history } = this;
    process.queue.register(randomTask(this.random, process.queue)).then(
      ({ uid }) => process === this.process && history.acknowledged.add(uid),
      () => {},
    );
  }

  async kill(): Promise<void> {
    this.kills++;
    this.process.steps.kill();
    await this.begin();
  }

  async step(): Promise<boolean> {
    this.passed++;
    await settled();
    this.#checkRunning();
    return this.process.steps.next();
  }

  async live(): Promise<void> {
    for (let left = LIVELY + this.random.int(LIVELY * 2); left > 0; left--) {
      if (this.random.int(REGISTERS) === 0) this.register();
      if (this.random.int(SETS_CLOCK) === 0) this.skew = this.random.int(2 * CLOCK_JUMP) - CLOCK_JUMP;
      if (this.random.int(KILLS) === 0) await this.kill();
      await this.step();
    }
  }

  /** Nothing fails any more: all that waits ends. */
  async end(): Promise<void> {
    this.faults.calm = true;
    for (let left = MAX_STEPS; left > 0; left--) {
      const went = await this.step();
      if (went || this.process.steps.waiting > 0) continue;
      if (this.process.queue.pending.size === 0) break;
      // Work that a failed write has left waits for the next task.
      await settled();
      if (this.process.steps.waiting === 0) break;
    }
    this.#checkEnd();
    await this.process.scheduler.close(1000);
  }

  #checkRunning(): void {
    const tasks = new Set<number>();
    const indexes = new Set<string>();
    const { queue } = this.process;
    for (const { uid, uids, indexUids } of queue.running) {
      for (const task of uids) {
        if (tasks.has(task)) this.found.push(`task ${task} runs in two batches, ${uid} among them`);
        tasks.add(task);
      }
      // it changes no document: it may go on while texts of the index are embedded
      if ([...uids].every((task) => queue.table.get(task)?.type === 'indexCompaction')) continue;
      for (const index of indexUids) {
        if (indexes.has(index)) this.found.push(`index ${index} is worked on by two batches, ${uid} among them`);
        indexes.add(index);
      }
    }
  }

  #checkEnd(): void {
    const { process, history, disk } = this;
    const { queue, indexes } = process;
    const fault = (text: string) => this.found.push(text);
    if (queue.pending.size > 0) fault(`tasks ${[...queue.pending]} never end`);
    if (queue.running.size > 0) fault('a batch never ends');
    for (const uid of history.acknowledged) {
      if (!history.ended.has(uid)) fault(`task ${uid} was acknowledged and has not ended`);
      if (!history.removed.has(uid) && !disk.entries.has(`task/${String(uid).padStart(10, '0')}`)) fault(`task ${uid} is lost`);
    }
    if (indexes.pinned > 0) fault(`${indexes.pinned} jobs keep segments for ever`);
    if (process.held > 0) fault(`${process.held} holds of embeddings are never released`);
    // one that was refused in doubt goes with the next write
    const left = [...disk.under('payload/')]
      .map(([key]) => Number(key.slice('payload/'.length)))
      .filter((uid) => queue.table.get(uid));
    if (left.length > 0) fault(`the payloads of tasks ${left} stay`);
    this.#compare(replay(history.done));
  }

  #compare(expected: Map<string, Content>): void {
    const { indexes } = this.process.indexes;
    for (const uid of new Set([...expected.keys(), ...indexes.keys()])) {
      const record = indexes.get(uid);
      // a task that failed or was canceled may have made its index first
      const found = { marks: record?.fields ?? [], cutoff: record?.settings.searchCutoffMs ?? null };
      const wanted = expected.get(uid) ?? { marks: [], cutoff: null };
      if (expected.has(uid) && !record) this.found.push(`index ${uid} is missing`);
      if (JSON.stringify(found) !== JSON.stringify(wanted))
        this.found.push(`index ${uid} is ${JSON.stringify(found)}, but its tasks make it ${JSON.stringify(wanted)}`);
    }
  }
}

/** Tasks of every kind, until all have ended. */
export async function simulateScheduler(random: SeededRandom): Promise<Outcome> {
  const world = new World(random);
  const clock = Date.now;
  Date.now = () => clock() + world.skew;
  try {
    await world.begin();
    await world.live();
    await world.end();
  } finally {
    Date.now = clock;
  }
  const { history, kills, passed } = world;
  return { faults: history.faults, counts: { tasks: history.acknowledged.size, kills, steps: passed, ...history.counts } };
}
