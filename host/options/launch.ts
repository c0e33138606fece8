import type { EgressPolicy } from '../outgoing/egress.js';

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
  /** Bytes of the codes of a segment's vectors up to which they are scanned. */
  experimentalVectorScanLimit: number;
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
