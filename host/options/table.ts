import os from 'node:os';
import { EgressPolicy } from '../outgoing/egress.js';
import { headerProblem, urlProblem } from '../outgoing/targets.js';
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
import type { Options } from './launch.js';

/** The smallest `--max-indexing-memory` that can be kept: incoming bodies, one building thread, and the ids of a batch. */
export const MIN_INDEXING_MEMORY = 128 << 20;

/**
 * Every launch option. The parsers of the command line, the environment and the configuration file, and the help text, are
 * derived from this table.
 */
export const OPTIONS: { [K in keyof Options]: Option<Options[K]> } = {
  dbPath: text('db-path', '<PATH>', './data.pg', 'Folder of the database; created if it does not exist.'),
  httpAddr: text('http-addr', '<HOST:PORT>', 'localhost:7700', 'Address to listen on.'),
  masterKey: {
    ...text('master-key', '<KEY>', '', 'Secret for full access; at least 16 bytes in production.'),
    initial: null,
  },
  env: choice('env', ['development', 'production'], 'development', '`production` requires a master key.'),
  taskWebhookUrl: {
    ...optionalText(
      'task-webhook-url',
      '<URL>',
      'URL to which every ended task is sent, in addition to the webhooks of /webhooks.',
    ),
    accepted: 'an absolute URL with the scheme `http:` or `https:`',
    read: (raw) => (typeof raw === 'string' && urlProblem(raw) === null ? raw : undefined),
  },
  taskWebhookAuthorizationHeader: {
    ...optionalText('task-webhook-authorization-header', '<VALUE>', 'Header `Authorization` for --task-webhook-url.'),
    accepted: 'a text without control characters',
    read: (raw) => (typeof raw === 'string' && headerProblem('authorization', raw) === null ? raw : undefined),
  },
  logLevel: choice('log-level', ['OFF', 'ERROR', 'WARN', 'INFO', 'DEBUG', 'TRACE'], 'INFO', 'Level of the log.'),
  noAnalytics: { ...SWITCH, flag: 'no-analytics', meaning: 'Do not collect anonymous usage statistics.' },
  telemetryEndpoint: {
    ...optionalText(
      'telemetry-endpoint',
      '<URL>',
      'URL to which usage statistics are sent; without it they stay in the process.',
    ),
    accepted: 'an absolute URL with the scheme `http:` or `https:`',
    read: (raw) => (typeof raw === 'string' && urlProblem(raw) === null ? raw : undefined),
  },
  httpPayloadSizeLimit: {
    ...BYTES,
    flag: 'http-payload-size-limit',
    initial: 100_000_000,
    meaning: 'Largest request body, after decompression.',
    read: readBytes,
  },
  httpMemoryLimit: {
    ...BYTES,
    flag: 'http-memory-limit',
    initial: ({ httpPayloadSizeLimit = 0 }) => Math.max(Math.floor(os.totalmem() / 8), 4 * httpPayloadSizeLimit),
    meaning:
      'Memory for bodies and answers of concurrent requests; default: an eighth of the memory, or four of the largest bodies.',
    read: readBytes,
  },
  maxIndexingMemory: {
    ...BYTES,
    flag: 'max-indexing-memory',
    initial: () => Math.max(MIN_INDEXING_MEMORY, Math.floor((os.totalmem() * 2) / 3)),
    meaning: 'Memory for indexing, at least 128 MiB; default: two thirds of the memory.',
    accepted: '128 MiB or more, in bytes or with a unit such as `500 MB`: incoming bodies and one building thread take as much',
    read: (raw) => ((readBytes(raw) ?? 0) >= MIN_INDEXING_MEMORY ? readBytes(raw) : undefined),
  },
  maxIndexingThreads: {
    flag: 'max-indexing-threads',
    value: '<N>',
    initial: () => Math.max(1, Math.floor(os.availableParallelism() / 2)),
    meaning: 'Threads for indexing; default: half of the cores.',
    accepted: 'an integer of at least 1, or `unlimited`',
    read: (raw) => (raw === 'unlimited' ? os.availableParallelism() : readCount(raw) || undefined),
  },
  indexingNiceness: {
    flag: 'indexing-niceness',
    value: '<0-19>',
    initial: 5,
    meaning: 'Nice value of index threads (Linux): 0 is normal priority, 19 yields to everything else on the machine.',
    accepted: 'an integer from 0 to 19',
    read: (raw) => ((readCount(raw) ?? 20) <= 19 ? readCount(raw) : undefined),
  },
  experimentalContainsFilter: {
    ...SWITCH,
    flag: 'experimental-contains-filter',
    meaning: 'Enable the feature `containsFilter`.',
  },
  experimentalEnableMetrics: { ...SWITCH, flag: 'experimental-enable-metrics', meaning: 'Enable the feature `metrics`.' },
  experimentalEnableLogsRoute: {
    ...SWITCH,
    flag: 'experimental-enable-logs-route',
    meaning: 'Enable the feature `logsRoute`.',
  },
  experimentalLogsMode: choice('experimental-logs-mode', ['HUMAN', 'JSON'], 'HUMAN', 'Format of the log.'),
  experimentalSearchQueueSize: {
    ...COUNT,
    flag: 'experimental-search-queue-size',
    initial: 1000,
    meaning: 'Searches that may wait; further ones are refused.',
  },
  experimentalNbSearchesPerCore: {
    ...COUNT,
    flag: 'experimental-nb-searches-per-core',
    initial: 4,
    meaning: 'Concurrent searches per core.',
    accepted: 'an integer of at least 1',
    read: (raw) => readCount(raw) || undefined,
  },
  experimentalDropSearchAfter: {
    ...COUNT,
    value: '<SECONDS>',
    flag: 'experimental-drop-search-after',
    initial: 60,
    meaning: 'Time after which a waiting search is refused.',
  },
  taskQueueSizeLimit: {
    ...BYTES,
    flag: 'task-queue-size-limit',
    initial: 20 * 2 ** 30,
    meaning: 'Size limit of the task queue; beyond 40 % of it only tasks that cancel or delete others are accepted.',
    read: readBytes,
  },
  experimentalMaxNumberOfBatchedTasks: {
    ...COUNT,
    flag: 'experimental-max-number-of-batched-tasks',
    initial: Number.MAX_SAFE_INTEGER,
    meaning: 'Most tasks of one batch; 0 stops all work on indexes.',
  },
  experimentalLimitBatchedTasksTotalSize: {
    ...BYTES,
    flag: 'experimental-limit-batched-tasks-total-size',
    initial: ({ maxIndexingMemory }) => Math.min((maxIndexingMemory ?? 0) / 2, 10 * 2 ** 30),
    meaning: 'Most bytes of payloads in one batch; default: half of the memory for indexing.',
    read: readBytes,
  },
  experimentalReduceIndexingMemoryUsage: {
    ...SWITCH,
    flag: 'experimental-reduce-indexing-memory-usage',
    meaning: 'Index with a single thread, to save memory.',
  },
  experimentalEmbeddingCacheEntries: {
    ...COUNT,
    flag: 'experimental-embedding-cache-entries',
    initial: 1000, // of 1,536 dimensions: 6 MB
    meaning: 'Query embeddings in the cache; 0: no cache.',
  },
  experimentalVectorScanLimit: {
    ...BYTES,
    flag: 'experimental-vector-scan-limit',
    initial: 5 << 20,
    meaning: "Size of the codes of a segment's vectors up to which they are scanned; beyond it a graph is built.",
    read: readBytes,
  },
  experimentalPersonalizationApiKey: {
    ...optionalText(
      'experimental-personalization-api-key',
      '<KEY>',
      'API key of a service that reranks hits for a user (`personalize`); empty: none.',
    ),
    read: (raw) => (typeof raw === 'string' ? raw : undefined),
  },
  experimentalPersonalizationUrl: {
    ...text(
      'experimental-personalization-url',
      '<URL>',
      'https://api.cohere.com/v1/rerank',
      'URL of that service, which must have the API of Cohere.',
    ),
    accepted: 'an absolute URL with the scheme `http:` or `https:`',
    read: (raw) => (typeof raw === 'string' && urlProblem(raw) === null ? raw : undefined),
  },
  experimentalNoEdition2024ForSettings: toggle(
    'experimental-no-edition-2024-for-settings',
    'Accepted for compatibility, without effect.',
  ),
  experimentalAllowedIpNetworks: {
    flag: 'experimental-allowed-ip-networks',
    value: '<CIDR,…>',
    initial: () => EgressPolicy.DEFAULT,
    meaning:
      'Networks to which the server may connect (webhooks, embedders, exports, remotes); default: all but link-local addresses.',
    accepted: 'networks such as `10.0.0.0/8,fd00::/8`, or `any`',
    read: (raw) => EgressPolicy.read(String(raw)) ?? undefined,
  },
  upgradeDb: {
    ...SWITCH,
    flag: 'upgrade-db',
    otherFlag: 'experimental-dumpless-upgrade',
    meaning: 'Upgrade a database written by an older version.',
  },
  modelsDir: text('models-dir', '<PATH>', 'models/', 'Folder of the models for embedders with the source `huggingFace`.'),
  dumpDir: text('dump-dir', '<PATH>', 'dumps/', 'Folder for dumps.'),
  importDump: optionalText('import-dump', '<FILE>', 'Dump from which to create the database.'),
  ignoreMissingDump: toggle('ignore-missing-dump', 'Start without the dump if the file is missing.'),
  ignoreDumpIfDbExists: toggle('ignore-dump-if-db-exists', 'Start without the dump if a database exists.'),
  snapshotDir: text('snapshot-dir', '<PATH>', 'snapshots/', 'Folder for snapshots.'),
  scheduleSnapshot: {
    flag: 'schedule-snapshot',
    value: '[=SECONDS]',
    initial: null,
    meaning: 'Create a snapshot daily, or at this interval.',
    accepted: `\`true\`, \`false\`, or seconds from 1 to ${MAX_INTERVAL_SECONDS}`,
    isSwitch: true,
    read: readInterval,
  },
  importSnapshot: optionalText('import-snapshot', '<FILE>', 'Snapshot from which to create the database.'),
  ignoreMissingSnapshot: toggle('ignore-missing-snapshot', 'Start without the snapshot if the file is missing.'),
  ignoreSnapshotIfDbExists: toggle('ignore-snapshot-if-db-exists', 'Start without the snapshot if a database exists.'),
  sslCertPath: optionalText('ssl-cert-path', '<FILE>', 'Certificate chain in PEM; enables HTTPS, together with a key.'),
  sslKeyPath: optionalText('ssl-key-path', '<FILE>', 'Private key of the certificate in PEM.'),
  sslAuthPath: optionalText('ssl-auth-path', '<FILE>', 'Root certificates in PEM for checking client certificates.'),
  sslOcspPath: optionalText('ssl-ocsp-path', '<FILE>', 'OCSP response in DER, stapled to the certificate.'),
  sslRequireAuth: toggle('ssl-require-auth', 'Refuse clients without a certificate.'),
  sslResumption: toggle('ssl-resumption', 'Allow clients to resume TLS sessions.'),
  sslTickets: toggle('ssl-tickets', 'Issue TLS session tickets.'),
};
