import os from 'node:os';
import { EgressPolicy } from '../http/egress.js';
import { MIN_INDEXING_MEMORY } from '../index/build/memory-budget.js';
import { headerProblem, urlProblem } from '../webhooks/checks.js';
import {
  BYTES,
  COUNT,
  choice,
  MAX_INTERVAL_SECONDS,
  type Option,
  optionalText,
  readBytes,
  readCount,
  readInterval,
  SWITCH,
  text,
  toggle,
} from './kinds.js';

/** The launch options. */
export interface Options {
  dbPath: string;
  httpAddr: string;
  masterKey: string | null;
  env: 'development' | 'production';
  taskWebhookUrl: string | null;
  taskWebhookAuthorizationHeader: string | null;
  logLevel: 'OFF' | 'ERROR' | 'WARN' | 'INFO' | 'DEBUG' | 'TRACE';
  noAnalytics: boolean;
  telemetryEndpoint: string | null;
  httpPayloadSizeLimit: number;
  httpMemoryLimit: number;
  maxIndexingMemory: number;
  maxIndexingThreads: number;
  /** Nice value, 0 to 19. */
  indexingNiceness: number;
  experimentalContainsFilter: boolean;
  experimentalEnableMetrics: boolean;
  experimentalEnableLogsRoute: boolean;
  experimentalLogsMode: 'HUMAN' | 'JSON';
  experimentalSearchQueueSize: number;
  experimentalNbSearchesPerCore: number;
  experimentalDropSearchAfter: number;
  /** Bytes. */
  taskQueueSizeLimit: number;
  experimentalMaxNumberOfBatchedTasks: number;
  experimentalLimitBatchedTasksTotalSize: number;
  experimentalReduceIndexingMemoryUsage: boolean;
  experimentalEmbeddingCacheEntries: number;
  experimentalPersonalizationApiKey: string | null;
  experimentalPersonalizationUrl: string;
  experimentalNoEdition2024ForSettings: boolean;
  experimentalAllowedIpNetworks: EgressPolicy;
  upgradeDb: boolean;
  modelsDir: string;
  dumpDir: string;
  importDump: string | null;
  ignoreMissingDump: boolean;
  ignoreDumpIfDbExists: boolean;
  snapshotDir: string;
  /** Seconds between two snapshots; null: none. */
  scheduleSnapshot: number | null;
  importSnapshot: string | null;
  ignoreMissingSnapshot: boolean;
  ignoreSnapshotIfDbExists: boolean;
  sslCertPath: string | null;
  sslKeyPath: string | null;
  sslAuthPath: string | null;
  sslOcspPath: string | null;
  sslRequireAuth: boolean;
  sslResumption: boolean;
  sslTickets: boolean;
}

/** The launch options, and where they came from. */
export interface Launch extends Options {
  /** Whether some options came from a file. */
  withConfigurationFile: boolean;
}

/**
 * Every launch option. The parsers of the command line, the environment and the configuration file, and the help text, are
 * derived from this table.
 */
export const OPTIONS: { [K in keyof Options]: Option<Options[K]> } = {
  dbPath: text('db-path', '<PATH>', './data.pg', 'Folder of the database, made when absent.'),
  httpAddr: text('http-addr', '<HOST:PORT>', 'localhost:7700', 'Address to listen on.'),
  masterKey: {
    ...text('master-key', '<KEY>', '', 'Secret that opens every route; at least 16 bytes in production.'),
    initial: null,
  },
  env: choice('env', ['development', 'production'], 'development', 'In production a master key is required.'),
  taskWebhookUrl: {
    ...optionalText('task-webhook-url', '<URL>', 'Address that every finished task is sent to, besides those of /webhooks.'),
    accepted: 'an absolute URL with the scheme `http:` or `https:`',
    read: (raw) => (typeof raw === 'string' && urlProblem(raw) === null ? raw : undefined),
  },
  taskWebhookAuthorizationHeader: {
    ...optionalText('task-webhook-authorization-header', '<VALUE>', 'Header `Authorization` for --task-webhook-url.'),
    accepted: 'a text without control characters',
    read: (raw) => (typeof raw === 'string' && headerProblem('authorization', raw) === null ? raw : undefined),
  },
  logLevel: choice('log-level', ['OFF', 'ERROR', 'WARN', 'INFO', 'DEBUG', 'TRACE'], 'INFO', 'What the log tells.'),
  noAnalytics: { ...SWITCH, flag: 'no-analytics', meaning: 'Collect no anonymous figures on how the service is used.' },
  telemetryEndpoint: {
    ...optionalText(
      'telemetry-endpoint',
      '<URL>',
      'Address that these figures are sent to; without it they stay in the process.',
    ),
    accepted: 'an absolute URL with the scheme `http:` or `https:`',
    read: (raw) => (typeof raw === 'string' && urlProblem(raw) === null ? raw : undefined),
  },
  httpPayloadSizeLimit: {
    ...BYTES,
    flag: 'http-payload-size-limit',
    initial: 100_000_000,
    meaning: 'Largest body of a request, decompressed.',
    read: readBytes,
  },
  httpMemoryLimit: {
    ...BYTES,
    flag: 'http-memory-limit',
    initial: ({ httpPayloadSizeLimit = 0 }) => Math.max(Math.floor(os.totalmem() / 8), 4 * httpPayloadSizeLimit),
    meaning:
      'Memory that bodies and answers of requests under way may hold; an eighth of the machine, or four bodies, by default.',
    read: readBytes,
  },
  maxIndexingMemory: {
    ...BYTES,
    flag: 'max-indexing-memory',
    initial: () => Math.max(MIN_INDEXING_MEMORY, Math.floor((os.totalmem() * 2) / 3)),
    meaning: 'Memory that indexing may use, from 128 MiB on; two thirds of the machine by default.',
    accepted:
      '128 MiB or more, in bytes or with a unit such as `500 MB`: one thread that builds and bodies that come in take as much',
    read: (raw) => ((readBytes(raw) ?? 0) >= MIN_INDEXING_MEMORY ? readBytes(raw) : undefined),
  },
  maxIndexingThreads: {
    flag: 'max-indexing-threads',
    value: '<N>',
    initial: () => Math.max(1, Math.floor(os.availableParallelism() / 2)),
    meaning: 'Threads that index; half of the cores by default.',
    accepted: 'an integer of at least 1, or `unlimited`',
    read: (raw) => (raw === 'unlimited' ? os.availableParallelism() : readCount(raw) || undefined),
  },
  indexingNiceness: {
    flag: 'indexing-niceness',
    value: '<0-19>',
    initial: 5,
    meaning: 'How far threads that index stand back on a busy machine: 0 is not at all, 19 gives way to everything on it.',
    accepted: 'an integer from 0 to 19',
    read: (raw) => ((readCount(raw) ?? 20) <= 19 ? readCount(raw) : undefined),
  },
  experimentalContainsFilter: {
    ...SWITCH,
    flag: 'experimental-contains-filter',
    meaning: 'Switch the feature `containsFilter` on.',
  },
  experimentalEnableMetrics: { ...SWITCH, flag: 'experimental-enable-metrics', meaning: 'Switch the feature `metrics` on.' },
  experimentalEnableLogsRoute: {
    ...SWITCH,
    flag: 'experimental-enable-logs-route',
    meaning: 'Switch the feature `logsRoute` on.',
  },
  experimentalLogsMode: choice('experimental-logs-mode', ['HUMAN', 'JSON'], 'HUMAN', 'Form of the log.'),
  experimentalSearchQueueSize: {
    ...COUNT,
    flag: 'experimental-search-queue-size',
    initial: 1000,
    meaning: 'Searches that may wait before some are refused.',
  },
  experimentalNbSearchesPerCore: {
    ...COUNT,
    flag: 'experimental-nb-searches-per-core',
    initial: 4,
    meaning: 'Searches under way at once, for each core.',
    accepted: 'an integer of at least 1',
    read: (raw) => readCount(raw) || undefined,
  },
  experimentalDropSearchAfter: {
    ...COUNT,
    value: '<SECONDS>',
    flag: 'experimental-drop-search-after',
    initial: 60,
    meaning: 'A search that waited longer is refused.',
  },
  taskQueueSizeLimit: {
    ...BYTES,
    flag: 'task-queue-size-limit',
    initial: 20 * 2 ** 30,
    meaning: 'Size of the queue; beyond 40 % of it only tasks that cancel or delete others are taken.',
    read: readBytes,
  },
  experimentalMaxNumberOfBatchedTasks: {
    ...COUNT,
    flag: 'experimental-max-number-of-batched-tasks',
    initial: Number.MAX_SAFE_INTEGER,
    meaning: 'Tasks in one batch at most; 0 stops the work on indexes.',
  },
  experimentalLimitBatchedTasksTotalSize: {
    ...BYTES,
    flag: 'experimental-limit-batched-tasks-total-size',
    initial: ({ maxIndexingMemory }) => Math.min((maxIndexingMemory ?? 0) / 2, 10 * 2 ** 30),
    meaning: 'Payloads in one batch at most, together; half of the memory for indexing by default.',
    read: readBytes,
  },
  experimentalReduceIndexingMemoryUsage: {
    ...SWITCH,
    flag: 'experimental-reduce-indexing-memory-usage',
    meaning: 'Index with one thread, which takes less memory.',
  },
  experimentalEmbeddingCacheEntries: {
    ...COUNT,
    flag: 'experimental-embedding-cache-entries',
    initial: 1000, // of 1,536 dimensions: 6 MB
    meaning: 'Embeddings of queries to keep in memory; 0: none.',
  },
  experimentalPersonalizationApiKey: {
    ...optionalText(
      'experimental-personalization-api-key',
      '<KEY>',
      'Key of a service by which searches put their hits in order for a user (`personalize`); empty: none.',
    ),
    read: (raw) => (typeof raw === 'string' ? raw : undefined),
  },
  experimentalPersonalizationUrl: {
    ...text(
      'experimental-personalization-url',
      '<URL>',
      'https://api.cohere.com/v1/rerank',
      'Address of that service, which has the interface of Cohere.',
    ),
    accepted: 'an absolute URL with the scheme `http:` or `https:`',
    read: (raw) => (typeof raw === 'string' && urlProblem(raw) === null ? raw : undefined),
  },
  experimentalNoEdition2024ForSettings: toggle(
    'experimental-no-edition-2024-for-settings',
    'Taken for the sake of configurations that have it; settings are applied in one way.',
  ),
  experimentalAllowedIpNetworks: {
    flag: 'experimental-allowed-ip-networks',
    value: '<CIDR,…>',
    initial: () => EgressPolicy.DEFAULT,
    meaning: 'Networks that webhooks and the like may be in; all but link-local addresses by default.',
    accepted: 'networks such as `10.0.0.0/8,fd00::/8`, or `any`',
    read: (raw) => EgressPolicy.read(String(raw)) ?? undefined,
  },
  upgradeDb: {
    ...SWITCH,
    flag: 'upgrade-db',
    otherFlag: 'experimental-dumpless-upgrade',
    meaning: 'Upgrade a database that an older version has written.',
  },
  modelsDir: text('models-dir', '<PATH>', 'models/', 'Folder of the models that embedders of the source `huggingFace` run.'),
  dumpDir: text('dump-dir', '<PATH>', 'dumps/', 'Folder that dumps are written to.'),
  importDump: optionalText('import-dump', '<FILE>', 'Dump to make the database from.'),
  ignoreMissingDump: toggle('ignore-missing-dump', 'Start without the dump when its file is missing.'),
  ignoreDumpIfDbExists: toggle('ignore-dump-if-db-exists', 'Start without the dump when there is a database.'),
  snapshotDir: text('snapshot-dir', '<PATH>', 'snapshots/', 'Folder that snapshots are written to.'),
  scheduleSnapshot: {
    flag: 'schedule-snapshot',
    value: '[=SECONDS]',
    initial: null,
    meaning: 'Make a snapshot each day, or each time these seconds have passed.',
    accepted: `\`true\`, \`false\`, or seconds from 1 to ${MAX_INTERVAL_SECONDS}`,
    isSwitch: true,
    read: readInterval,
  },
  importSnapshot: optionalText('import-snapshot', '<FILE>', 'Snapshot to make the database from.'),
  ignoreMissingSnapshot: toggle('ignore-missing-snapshot', 'Start without the snapshot when its file is missing.'),
  ignoreSnapshotIfDbExists: toggle('ignore-snapshot-if-db-exists', 'Start without the snapshot when there is a database.'),
  sslCertPath: optionalText('ssl-cert-path', '<FILE>', 'Certificate chain in PEM; with a key, the service speaks HTTPS.'),
  sslKeyPath: optionalText('ssl-key-path', '<FILE>', 'Private key of the certificate in PEM.'),
  sslAuthPath: optionalText('ssl-auth-path', '<FILE>', 'Roots in PEM that certificates of clients are checked with.'),
  sslOcspPath: optionalText('ssl-ocsp-path', '<FILE>', 'OCSP answer in DER, stapled to the certificate.'),
  sslRequireAuth: toggle('ssl-require-auth', 'Refuse clients without a certificate.'),
  sslResumption: toggle('ssl-resumption', 'Let clients resume sessions.'),
  sslTickets: toggle('ssl-tickets', 'Give clients tickets to resume sessions with.'),
};
