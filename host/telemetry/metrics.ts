import os from 'node:os';
import type { Feature } from '../options/features.js';
import type { Options } from '../options/launch.js';
import type { UsageCell } from '../search/usage.js';
import { VERSION } from '../version.js';
import type { TelemetryState } from './state.js';
import type { Fold } from './tally.js';

/** A metric is either read when it is reported, or aggregated from events. */
export type Metric =
  | { event: string; name: string; read(state: TelemetryState): unknown }
  | { event: string; name: string; fold: Fold };

type Read = (state: TelemetryState) => unknown;
type Rows = Record<string, Read | Fold>;

const option =
  (name: keyof Options): Read =>
  ({ options }) =>
    options[name];
/** Whether an option has a value; the value itself, often a path or an address, is not reported. */
const given =
  (name: keyof Options, initial: unknown = null): Read =>
  ({ options }) =>
    options[name] !== initial;
const feature =
  (name: Feature): Read =>
  ({ service }) =>
    service.features.current[name];
const counted =
  (name: UsageCell): Read =>
  ({ usage }) =>
    usage.counts[name];
const used =
  (name: UsageCell): Read =>
  ({ usage }) =>
    usage.counts[name] > 0;
const mean =
  (sum: UsageCell, count: UsageCell): Read =>
  ({ usage: { counts } }) =>
    counts[count] === 0 ? 0 : counts[sum] / counts[count];
/** The name with the highest count; null when nothing was counted. */
const most =
  (names: Partial<Record<UsageCell, string>>): Read =>
  ({ usage: { counts } }) => {
    const [best] = (Object.keys(names) as UsageCell[]).sort((a, b) => counts[b] - counts[a]);
    return counts[best!] > 0 ? names[best!] : null;
  };
/** For parts that this version does not have. */
const always =
  (value: unknown): Read =>
  () =>
    value;

const LAUNCH: Rows = {
  'context.app.version': () => VERSION,
  'infos.env': option('env'),
  'infos.db_path': given('dbPath', './data.pg'),
  'infos.import_dump': given('importDump'),
  'infos.dump_dir': given('dumpDir', 'dumps/'),
  'infos.ignore_missing_dump': option('ignoreMissingDump'),
  'infos.ignore_dump_if_db_exists': option('ignoreDumpIfDbExists'),
  'infos.import_snapshot': given('importSnapshot'),
  'infos.schedule_snapshot': option('scheduleSnapshot'),
  'infos.snapshot_dir': given('snapshotDir', 'snapshots/'),
  'infos.ignore_missing_snapshot': option('ignoreMissingSnapshot'),
  'infos.ignore_snapshot_if_db_exists': option('ignoreSnapshotIfDbExists'),
  'infos.http_addr': given('httpAddr', 'localhost:7700'),
  'infos.http_payload_size_limit': option('httpPayloadSizeLimit'),
  'infos.log_level': option('logLevel'),
  'infos.max_indexing_memory': option('maxIndexingMemory'),
  'infos.max_indexing_threads': option('maxIndexingThreads'),
  'infos.ssl_auth_path': given('sslAuthPath'),
  'infos.ssl_cert_path': given('sslCertPath'),
  'infos.ssl_key_path': given('sslKeyPath'),
  'infos.ssl_ocsp_path': given('sslOcspPath'),
  'infos.ssl_require_auth': option('sslRequireAuth'),
  'infos.ssl_resumption': option('sslResumption'),
  'infos.ssl_tickets': option('sslTickets'),
  'infos.with_configuration_file': ({ options }) => options.withConfigurationFile,
  'infos.task_queue_webhook': given('taskWebhookUrl'),
  'infos.gpu_enabled': always(false),
  'infos.experimental_composite_embedders': feature('compositeEmbedders'),
  'infos.experimental_contains_filter': feature('containsFilter'),
  'infos.experimental_edit_documents_by_function': feature('editDocumentsByFunction'),
  'infos.experimental_enable_metrics': feature('metrics'),
  'infos.experimental_embedding_cache_entries': option('experimentalEmbeddingCacheEntries'),
  'infos.experimental_multimodal': feature('multimodal'),
  'infos.experimental_no_edition_2024_for_settings': option('experimentalNoEdition2024ForSettings'),
  'infos.experimental_replication_parameters': always(false),
  'infos.experimental_reduce_indexing_memory_usage': option('experimentalReduceIndexingMemoryUsage'),
  'infos.experimental_logs_mode': ({ options }) => options.experimentalLogsMode.toLowerCase(),
  'infos.experimental_enable_logs_route': feature('logsRoute'),
  'infos.experimental_search_queue_size': option('experimentalSearchQueueSize'),
  'infos.experimental_dumpless_upgrade': option('upgradeDb'),
};

const SYSTEM: Rows = {
  'system.distribution': ({ system }) => system.distribution,
  'system.kernel_version': () => os.release(),
  'system.cores': () => os.availableParallelism(),
  'system.ram_size': () => Math.floor(os.totalmem() / 1024),
  'system.disk_size': ({ system }) => system.diskBytes,
  'system.server_provider': ({ system }) => system.serverProvider,
};

const DAY_MS = 86_400_000;

const INSTANCE: Rows = {
  'stats.database_size': ({ databaseBytes }) => databaseBytes,
  'stats.indexes_number': ({ service }) => service.indexStore.indexes.size,
  start_since_days: ({ startedAt }) => Math.floor((performance.now() - startedAt) / DAY_MS),
  user_agent: 'distinct',
  payload_type: 'distinct',
  primary_key: 'last',
  index_creation: 'any',
  swap_operation_number: 'sum',
};

const SEARCH: Rows = {
  'requests.99th_response_time': 'p99',
  'requests.total_succeeded': 'sum',
  'requests.total_failed': 'sum',
  'requests.total_received': counted('received'),
  'requests.total_degraded': counted('degraded'),
  'requests.total_used_negative_operator': counted('negativeOperator'),
  'sort.with_geoPoint': used('geoSorts'),
  'sort.avg_criteria_number': mean('sortCriteria', 'sorts'),
  'filter.with_geoBoundingBox': used('geoBoundingBoxes'),
  'filter.with_geoRadius': used('geoRadii'),
  'filter.most_used_syntax': most({ stringFilters: 'string', arrayFilters: 'array' }),
  'filter.on_vectors': used('vectorFilters'),
  'q.max_terms_number': counted('mostTerms'),
  'pagination.max_limit': counted('mostLimit'),
  'pagination.max_offset': counted('mostOffset'),
  'pagination.most_used_navigation': most({ byOffset: 'estimated', byPage: 'exhaustive' }),
  'formatting.max_attributes_to_retrieve': counted('mostRetrieved'),
  'formatting.max_attributes_to_highlight': counted('mostHighlighted'),
  'formatting.highlight_pre_tag': used('preTags'),
  'formatting.highlight_post_tag': used('postTags'),
  'formatting.max_attributes_to_crop': counted('mostCropped'),
  'formatting.crop_length': used('cropLengths'),
  'formatting.crop_marker': used('cropMarkers'),
  'formatting.show_matches_position': used('positions'),
  'facets.avg_facets_number': mean('facets', 'facetRequests'),
  'facets.total_distinct_facet_count': counted('distinctFacets'),
  'facets.additional_search_parameters_provided': used('facetSearchesWithMore'),
  distinct: used('distinct'),
  'matching_strategy.most_used_strategy': most({ strategyLast: 'last', strategyAll: 'all', strategyFrequency: 'frequency' }),
  'scoring.show_ranking_score': used('scores'),
  'scoring.show_ranking_score_details': used('scoreDetails'),
  'scoring.ranking_score_threshold': used('thresholds'),
  'attributes_to_search_on.total_number_of_uses': counted('searchedOn'),
  'searches.avg_search_count': 'mean',
  'searches.total_search_count': 'sum',
  'indexes.avg_distinct_index_count': 'mean',
  'indexes.total_distinct_index_count': 'sum',
  'indexes.total_single_index': 'sum',
  locales: ({ usage }) => usage.locales,
  'federation.use_federation': 'any',
};

const VECTORS: Rows = {
  'vector.max_vector_size': counted('mostDimensions'),
  'vector.retrieve_vectors': used('vectorsRetrieved'),
  'hybrid.enabled': used('hybrid'),
  'hybrid.semantic_ratio': used('semanticRatios'),
  'hybrid.total_media': counted('media'),
  'embedders.total': 'last',
  'embedders.sources': 'last',
  'embedders.document_template_used': 'last',
  'embedders.document_template_max_bytes': 'last',
  'embedders.binary_quantization_used': 'last',
  with_vector_filter: used('vectorFilters'),
  multimodal: feature('multimodal'),
};

const SETTINGS: Rows = Object.fromEntries(
  [
    ...['words', 'typo', 'proximity', 'attribute', 'sort', 'exactness'].map((rule) => `ranking_rules.${rule}_position`),
    'ranking_rules.values',
    'sortable_attributes.total',
    'sortable_attributes.has_geo',
    'filterable_attributes.total',
    'filterable_attributes.has_geo',
    'filterable_attributes.has_patterns',
    'searchable_attributes.total',
    'searchable_attributes.with_wildcard',
    'displayed_attributes.total',
    'displayed_attributes.with_wildcard',
    'typo_tolerance.enabled',
    'typo_tolerance.disable_on_attributes',
    'typo_tolerance.disable_on_words',
    'typo_tolerance.min_word_size_for_typos.one_typo',
    'typo_tolerance.min_word_size_for_typos.two_typos',
    'pagination.max_total_hits',
    'faceting.max_values_per_facet',
    'faceting.sort_facet_values_by_star_count',
    'faceting.sort_facet_values_by_total',
    'distinct_attribute.set',
    'proximity_precision.set',
    'proximity_precision.value',
    'facet_search.set',
    'facet_search.value',
    'prefix_search.set',
    'prefix_search.value',
    'stop_words.total',
    'separator_tokens.total',
    'non_separator_tokens.total',
    'dictionary.total',
    'synonyms.total',
  ].map((name) => [name, 'last'] as const),
);

const READS: Rows = Object.fromEntries(
  [
    'per_task_uid',
    'per_index_uid',
    'filtered_by_uid',
    'filtered_by_index_uid',
    'filtered_by_type',
    'filtered_by_status',
    'filtered_by_canceled_by',
    'filtered_by_before_enqueued_at',
    'filtered_by_after_enqueued_at',
    'filtered_by_before_started_at',
    'filtered_by_after_started_at',
    'filtered_by_before_finished_at',
    'filtered_by_after_finished_at',
  ].map((name) => [name, 'any'] as const),
);

const DELETIONS: Rows = { per_document_id: 'any', per_filter: 'any', clear_all: 'any', per_batch: 'any' };

const ELSEWHERE: Rows = {
  network: feature('network'),
  experimental_network: feature('network'),
  network_has_self: ({ service }) => service.network.current.self !== null,
  network_size: ({ service }) => service.network.current.remotes.size,
  'remotes.total_distinct_remote_count': 'sum',
  'remotes.avg_distinct_remote_count': 'mean',
  'export.total_received': 'sum',
  'export.has_api_key': 'any',
  'export.avg_index_patterns': 'mean',
  'export.avg_patterns_with_filter': 'mean',
  'export.avg_payload_size': 'mean',
  webhooks_created: 'sum',
  'webhooks.updated': 'sum',
};

const EVENTS: Record<string, Rows> = {
  launch: { ...LAUNCH, ...SYSTEM },
  instance: INSTANCE,
  search: SEARCH,
  vectors: VECTORS,
  settings: SETTINGS,
  reads: READS,
  documentDeletion: DELETIONS,
  elsewhere: ELSEWHERE,
};

/** Every event with its metrics. */
export const METRICS: readonly Metric[] = Object.entries(EVENTS).flatMap(([event, rows]) =>
  Object.entries(rows).map(
    ([name, how]): Metric => (typeof how === 'string' ? { event, name, fold: how } : { event, name, read: how }),
  ),
);
