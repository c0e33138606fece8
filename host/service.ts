import os from 'node:os';
import path from 'node:path';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Piscina } from 'piscina';
import type { Dispatcher } from 'undici';
import { KeyStore } from './auth/keys.js';
import { Chats } from './chats/chats.js';
import { WorkspaceStore } from './chats/store.js';
import { ModelClient, modelTimes } from './embedders/client.js';
import { Embedders } from './embedders/embedders.js';
import { EmbeddingCache } from './embedders/embedding-cache.js';
import { LocalModels } from './embedders/local/local-models.js';
import { QueryEmbeddings } from './embedders/query-embeddings.js';
import { createServer } from './http/server.js';
import { documentsInMemory, segmentDocumentBytes } from './index/build/memory-budget.js';
import { IndexStore } from './index/index-store.js';
import type { Logs } from './logging/logs.js';
import { PeerClient, peerTimeout } from './network/peer-client.js';
import { NetworkStore } from './network/store.js';
import { Features } from './options/features.js';
import type { Launch, Options } from './options/launch.js';
import { egressAgent } from './outgoing/egress.js';
import { Personalization } from './personalization/personalization.js';
import { Reranker } from './personalization/reranker.js';
import { RuleStore } from './rules/store.js';
import { LaunchError } from './runtime/launch-error.js';
import { Cursors } from './search/cursors.js';
import { SearchPool } from './search/pool/pool.js';
import { startThreads } from './search/pool/worker-threads.js';
import { isLocked } from './storage/errors.js';
import { Ledger } from './storage/ledger/ledger.js';
import { LedgerLoss } from './storage/ledger/write-mark.js';
import { makeFolder } from './storage/sync.js';
import { ruleExecutors } from './tasks/executors/rules.js';
import { TaskPayloads } from './tasks/queue/payloads.js';
import { TaskQueue } from './tasks/queue/queue.js';
import { Gathering } from './tasks/scheduler/gathering.js';
import { Scheduler } from './tasks/scheduler/scheduler.js';
import { prepareUpgrade } from './tasks/upgrade.js';
import { Telemetry } from './telemetry/telemetry.js';
import { ensureInstanceUid } from './transfer/instance-uid.js';
import { prepareDatabase } from './transfer/launch.js';
import { scheduleSnapshots } from './transfer/schedule.js';
import { Staging } from './transfer/staging.js';
import { transferExecutors } from './transfer/transfers.js';
import { Deliveries } from './webhooks/deliveries.js';
import { reservedWebhook, WebhookStore } from './webhooks/store.js';

/** Milliseconds that a running batch and open requests get at shutdown. */
const GRACE = 3000;

/** The server, over one database folder. */
export class PeregrineService {
  private constructor(
    readonly app: FastifyInstance,
    private readonly scheduler: Scheduler,
    private readonly deliveries: Deliveries,
    private readonly indexStore: IndexStore,
    private readonly searches: SearchPool,
    private readonly embedders: Embedders,
    private readonly ledger: Ledger,
    private readonly endSchedule: () => void,
    /** null: telemetry is off. */
    readonly telemetry: Telemetry | null,
  ) {}

  /** Opens the database, resumes unfinished tasks, and creates the HTTP server, not yet listening. @throws LaunchError */
  static async open(options: Launch, logs: Logs): Promise<PeregrineService> {
    const searchThreads = startThreads(os.availableParallelism());
    try {
      return await PeregrineService.#openWith(searchThreads, options, logs);
    } catch (error) {
      await searchThreads.destroy();
      throw error;
    }
  }

  static async #openWith(searchThreads: Piscina, options: Launch, logs: Logs): Promise<PeregrineService> {
    const log = logs.module('service');
    const openIndexStore = (ledger: Ledger) => openIndexes(options, ledger);
    const olderVersion = await prepareDatabase(options, { log, openIndexStore });
    const folder = path.join(options.dbPath, 'payloads');
    makeFolder(folder);
    const ledger = await openLedger(path.join(options.dbPath, 'ledger'));
    const queue = await TaskQueue.load(ledger, options.taskQueueSizeLimit);
    const payloads = new TaskPayloads(ledger, folder);
    await payloads.removeOrphans(await queue.records(queue.pending));
    await Staging.clear(options.dbPath);
    if (!options.noAnalytics) await ensureInstanceUid(options.dbPath);
    const indexStore = await openIndexStore(ledger);
    for (const damage of indexStore.damaged.values()) log.error(damage);
    const searches = await startSearches(searchThreads, options, indexStore, logs.module('search'));
    await prepareUpgrade(queue, options.dbPath, olderVersion);
    const features = await Features.load(ledger, options);
    const keys = await KeyStore.load(ledger, options.masterKey);
    const webhooks = await WebhookStore.load(ledger, reservedWebhook(options));
    const rules = await RuleStore.load(ledger, (all) => indexStore.setSearchRules(all));
    const network = await NetworkStore.load(ledger);
    const dispatcher = egressAgent(options.experimentalAllowedIpNetworks);
    const peers = new PeerClient({ dispatcher, timeoutMs: peerTimeout(process.env) });
    const deliveries = await Deliveries.load({ ledger, webhooks, dispatcher, log: logs.module('webhooks') });
    const embedders = await loadEmbedders(options, ledger, dispatcher);
    const executors = { ...transferExecutors(options, ledger, dispatcher), ...ruleExecutors(rules) };
    const scheduler = new Scheduler({
      ledger,
      indexStore,
      queue,
      limits: {
        tasks: options.experimentalMaxNumberOfBatchedTasks,
        bytes: options.experimentalLimitBatchedTasksTotalSize,
        documents: documentsInMemory(options.maxIndexingMemory),
      },
      payloads,
      database: options.dbPath,
      deliveries,
      executors,
      embedders,
      gathering: new Gathering({
        isArriving: (indexUid) => indexStore.payloads.arrivals.has(indexUid),
        segmentBytes: segmentDocumentBytes(options.maxIndexingMemory, options.maxIndexingThreads),
      }),
      log: logs.module('tasks'),
    });
    const cursors = new Cursors(indexStore);
    const embeddings = new QueryEmbeddings(embedders, indexStore);
    const searchServices = { indexStore, searches, embeddings, features };
    const chats = new Chats(await WorkspaceStore.load(ledger), dispatcher, searchServices, logs.module('chats'));
    const service = {
      options,
      indexStore,
      searches,
      cursors,
      embeddings,
      personalization: personalizationOf(options, dispatcher),
      queue,
      payloads,
      features,
      keys,
      webhooks,
      rules,
      network,
      peers,
      chats,
      deliveries,
      logs,
    };
    const telemetry = options.noAnalytics ? null : await Telemetry.start(options, service);
    const app = await createServer(service, (server) => telemetry?.observeRequests(server));
    telemetry?.observeTasks(queue);
    scheduler.start();
    const endSchedule = scheduleSnapshots(options.scheduleSnapshot, queue, log);
    return new PeregrineService(app, scheduler, deliveries, indexStore, searches, embedders, ledger, endSchedule, telemetry);
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

  /** Ends open requests and the running batch within seconds; unfinished tasks run again after the next launch. */
  async close(): Promise<void> {
    this.endSchedule();
    this.telemetry?.close();
    await Promise.race([this.app.close(), new Promise((resolve) => setTimeout(resolve, GRACE).unref())]);
    await this.scheduler.close(GRACE);
    await this.deliveries.close();
    await Promise.all([this.searches.close(), this.indexStore.close(), this.embedders.close()]);
    await this.ledger.close();
  }
}

function openIndexes(options: Options, ledger: Ledger): Promise<IndexStore> {
  return IndexStore.open({
    ledger,
    folder: options.dbPath,
    searchThreads: os.availableParallelism(),
    indexThreads: options.experimentalReduceIndexingMemoryUsage ? 1 : options.maxIndexingThreads,
    maxIndexingMemory: options.maxIndexingMemory,
    indexNiceness: options.indexingNiceness,
    vectorScanLimit: options.experimentalVectorScanLimit,
  });
}

/** Has the search threads serve the indexes. */
function startSearches(started: Piscina, options: Options, indexStore: IndexStore, log: FastifyBaseLogger): Promise<SearchPool> {
  const threads = started.options.maxThreads;
  return SearchPool.over(indexStore, {
    threads,
    started,
    queue: {
      parallel: threads * options.experimentalNbSearchesPerCore,
      capacity: options.experimentalSearchQueueSize,
      maxWait: options.experimentalDropSearchAfter * 1000,
    },
    onFault: (message) => log.error(message),
  });
}

async function loadEmbedders(options: Options, ledger: Ledger, dispatcher: Dispatcher): Promise<Embedders> {
  return new Embedders({
    client: new ModelClient({ dispatcher, ...modelTimes(process.env) }),
    local: new LocalModels({ folder: options.modelsDir, dispatcher, hub: process.env.HF_ENDPOINT }),
    cache: await EmbeddingCache.load(ledger),
    environment: process.env,
    cacheEntries: options.experimentalEmbeddingCacheEntries,
  });
}

/** null: no API key for a reranking service was given. */
function personalizationOf(options: Options, dispatcher: Dispatcher): Personalization | null {
  const { experimentalPersonalizationApiKey: apiKey, experimentalPersonalizationUrl: url } = options;
  return apiKey ? new Personalization(new Reranker({ url, apiKey, dispatcher })) : null;
}

const HINT_TO_REPAIR =
  ' `peregrine repair` takes the database as its ledger is: tasks since then are lost, and files of segments that it does not name go to the folder `damaged`.';

async function openLedger(folder: string): Promise<Ledger> {
  try {
    return await Ledger.open(folder, { reserve: true });
  } catch (error) {
    const { message } = error as Error;
    if (isLocked(error)) throw new LaunchError(`The database cannot be opened, for another process has it open: ${message}`);
    throw new LaunchError(
      `The database cannot be opened: ${message}. Nothing was changed; if its files are damaged, restore them from a snapshot ` +
        'or another copy.' +
        (error instanceof LedgerLoss ? HINT_TO_REPAIR : ''),
    );
  }
}
