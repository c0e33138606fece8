import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { KeyStore } from './auth/keys.js';
import { egressAgent } from './egress.js';
import { Features } from './features.js';
import { createServer } from './http/server.js';
import { EngineRoom } from './index/engine.js';
import { LaunchError, type Options } from './options.js';
import { Ledger } from './storage/ledger.js';
import { TaskQueue } from './tasks/queue.js';
import { Scheduler } from './tasks/scheduler.js';
import { VERSION } from './version.js';
import { Deliveries } from './webhooks/deliveries.js';
import { reservedWebhook, WebhookStore } from './webhooks/store.js';

/** Milliseconds that a batch and open requests get at the end. */
const GRACE = 3000;

/** The whole service over one database folder. */
export class PeregrineService {
  private constructor(
    readonly app: FastifyInstance,
    private readonly scheduler: Scheduler,
    private readonly deliveries: Deliveries,
    private readonly engine: EngineRoom,
    private readonly ledger: Ledger,
  ) {}

  /** Opens the database, takes up the tasks that had not ended, and makes the server, not yet listening. @throws LaunchError */
  static async open(options: Options, log: FastifyBaseLogger): Promise<PeregrineService> {
    const payloads = path.join(options.dbPath, 'payloads');
    await markVersion(options.dbPath);
    await fs.mkdir(payloads, { recursive: true });
    const ledger = await openLedger(path.join(options.dbPath, 'ledger'));
    const queue = await TaskQueue.load(ledger);
    await removeOrphans(queue, payloads);
    const cores = os.availableParallelism();
    const engine = await EngineRoom.open({
      ledger,
      folder: options.dbPath,
      searchThreads: cores,
      indexThreads: options.experimentalReduceIndexingMemoryUsage ? 1 : options.maxIndexingThreads,
      maxIndexingMemory: options.maxIndexingMemory,
      onFault: (message) => log.error(message),
      searchQueue: {
        parallel: cores * options.experimentalNbSearchesPerCore,
        capacity: options.experimentalSearchQueueSize,
        patience: options.experimentalDropSearchAfter * 1000,
      },
    });
    const features = await Features.load(ledger, options);
    const keys = await KeyStore.load(ledger, options.masterKey);
    const webhooks = await WebhookStore.load(ledger, reservedWebhook(options));
    const dispatcher = egressAgent(options.experimentalAllowedIpNetworks);
    const deliveries = await Deliveries.load({ ledger, webhooks, dispatcher, log });
    const limits = { tasks: options.experimentalMaxNumberOfBatchedTasks, bytes: options.experimentalLimitBatchedTasksTotalSize };
    const scheduler = new Scheduler({ ledger, engine, queue, limits, payloads, deliveries, log });
    const app = await createServer({ options, engine, queue, features, keys, webhooks }, log);
    scheduler.start();
    return new PeregrineService(app, scheduler, deliveries, engine, ledger);
  }

  /** @returns the address that it listens on. @throws LaunchError */
  async listen({ httpAddr }: Options): Promise<string> {
    const [, host, port] = /^(?:\[?(.*?)\]?:)?(\d+)$/.exec(httpAddr) ?? [];
    if (port === undefined)
      throw new LaunchError(`The option --http-addr does not take \`${httpAddr}\`: it takes \`<HOST>:<PORT>\`.`);
    try {
      return await this.app.listen({ host: host || 'localhost', port: Number(port) });
    } catch (error) {
      throw new LaunchError(`The service cannot listen on \`${httpAddr}\`: ${(error as Error).message}`);
    }
  }

  /** Ends open requests and the running batch within seconds; tasks that do not get to their end run again at the next launch. */
  async close(): Promise<void> {
    await Promise.race([this.app.close(), new Promise((resolve) => setTimeout(resolve, GRACE).unref())]);
    await this.scheduler.close(GRACE);
    await this.deliveries.close();
    await this.engine.close();
    await this.ledger.close();
  }
}

async function openLedger(folder: string): Promise<Ledger> {
  try {
    return await Ledger.open(folder);
  } catch (error) {
    throw new LaunchError(
      `The database cannot be opened, perhaps because another process has it open: ${(error as Error).message}`,
    );
  }
}

/** Refuses a folder that another version has written, and marks a new one. */
async function markVersion(folder: string): Promise<void> {
  await fs.mkdir(folder, { recursive: true });
  const file = path.join(folder, 'VERSION');
  const found = await fs.readFile(file, 'utf8').catch(() => null);
  if (found?.trim() === VERSION) return;
  if (found !== null) {
    const known = /^\d+\.\d+\.\d+$/.test(found.trim());
    const what = known ? `was written by version ${found.trim()}` : 'has a VERSION file that cannot be read';
    throw new LaunchError(`The database \`${folder}\` ${what}; this is version ${VERSION}.`);
  }
  const entries = await fs.readdir(folder);
  if (entries.includes('ledger'))
    throw new LaunchError(`The database \`${folder}\` has no VERSION file: it cannot be opened safely.`);
  await fs.writeFile(file, `${VERSION}\n`);
}

/** Payloads of requests that were never acknowledged, or whose tasks have ended. */
async function removeOrphans(queue: TaskQueue, payloads: string): Promise<void> {
  const needed = new Set<string>();
  for (const { work } of await queue.records(queue.pending)) if (work?.kind === 'import') needed.add(work.file);
  for (const name of await fs.readdir(payloads)) {
    if (!needed.has(name)) await fs.rm(path.join(payloads, name), { force: true, recursive: true });
  }
}
