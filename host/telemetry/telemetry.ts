import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Service } from '../http/service.js';
import type { Launch } from '../options/launch.js';
import type { TaskQueue } from '../tasks/queue/queue.js';
import { ensureInstanceUid } from '../transfer/instance-uid.js';
import { METRICS, type Metric } from './metrics.js';
import { observeRequests } from './observe-requests.js';
import { noteTasks } from './observe-tasks.js';
import { Outbox } from './outbox.js';
import { databaseBytes, readSystem, type SystemFacts, type TelemetryState } from './state.js';
import { Tally } from './tally.js';

const HOUR_MS = 3_600_000;
const LAUNCH = 'launch';

const FOLDS = new Map(METRICS.flatMap((metric) => ('fold' in metric ? [[metric.name, metric.fold] as const] : [])));

/**
 * Anonymous statistics on how the server is used: one event at launch, then hourly one for each part of the metrics table. They
 * leave the process only if a launch option names an endpoint. Collecting never fails or delays a request.
 */
export class Telemetry {
  readonly #tally = new Tally(FOLDS);
  readonly #startedAt = performance.now();
  readonly #outbox: Outbox;
  readonly #timer: NodeJS.Timeout;
  #degraded = 0;

  private constructor(
    private readonly options: Launch,
    private readonly service: Service,
    private readonly system: SystemFacts,
    instanceUid: string,
    log: FastifyBaseLogger,
  ) {
    this.#outbox = new Outbox(options.telemetryEndpoint, instanceUid, log);
    this.#timer = setInterval(() => this.flush(), HOUR_MS).unref();
  }

  /** Starts collecting. */
  static async start(options: Launch, service: Service): Promise<Telemetry> {
    const telemetry = new Telemetry(
      options,
      service,
      await readSystem(options.dbPath),
      await ensureInstanceUid(options.dbPath),
      service.logs.module('telemetry'),
    );
    const events = eventNames().filter((event) => event === LAUNCH);
    await telemetry.#report(events);
    return telemetry;
  }

  observeRequests(app: FastifyInstance): void {
    observeRequests(app, this.#tally);
  }

  /** Must be called after the scheduler has subscribed to the queue. */
  observeTasks(queue: TaskQueue): void {
    const { onRegistered } = queue;
    queue.onRegistered = (tasks) => {
      noteTasks(tasks, this.service.indexStore, this.#tally);
      onRegistered(tasks);
    };
  }

  /** Reports what was collected, and resets it. */
  async flush(): Promise<void> {
    await this.#report(eventNames().filter((event) => event !== LAUNCH));
    this.#tally.clear();
    await this.#outbox.send();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #report(events: string[]): Promise<void> {
    const state = await this.#state();
    const timestamp = new Date().toISOString();
    for (const event of events) {
      const metrics = METRICS.filter((metric) => metric.event === event);
      const properties = Object.fromEntries(metrics.map((metric) => [metric.name, this.#value(metric, state)]));
      await this.#outbox.add({ event, timestamp, properties });
    }
  }

  #value(metric: Metric, state: TelemetryState): unknown {
    return 'fold' in metric ? this.#tally.read(metric.name) : metric.read(state);
  }

  async #state(): Promise<TelemetryState> {
    const { options, service, system } = this;
    const usage = service.searches.usage.take();
    const { degraded } = usage.counts;
    const counts = { ...usage.counts, degraded: degraded - this.#degraded };
    this.#degraded = degraded;
    return {
      options,
      service,
      system,
      usage: { ...usage, counts },
      databaseBytes: await databaseBytes(options.dbPath),
      startedAt: this.#startedAt,
    };
  }
}

function eventNames(): string[] {
  return [...new Set(METRICS.map(({ event }) => event))];
}
