export type ErrorType = 'invalid_request' | 'auth' | 'internal' | 'system';

export interface ErrorBody {
  message: string;
  code: string;
  type: ErrorType;
  link: string;
}

/** Every code, in the sections of the page of error codes. A code is never renamed and never gets another meaning: clients switch on it. */
export const ERROR_SECTIONS: { title: string; codes: string[] }[] = [
  section(
    'Requests in general',
    `bad_request bad_parameter missing_content_type invalid_content_type unsupported_media_type missing_payload
     malformed_payload payload_too_large server_overloaded internal invalid_header_value inconsistent_document_change_headers
     feature_not_enabled requires_enterprise_edition`,
  ),
  section('Authentication', `missing_authorization_header invalid_api_key missing_master_key`),
  section(
    'API keys',
    `api_key_already_exists api_key_not_found missing_api_key_actions missing_api_key_expires_at missing_api_key_indexes
     invalid_api_key_actions invalid_api_key_description invalid_api_key_expires_at invalid_api_key_indexes
     invalid_api_key_limit invalid_api_key_offset invalid_api_key_name invalid_api_key_uid immutable_api_key_actions
     immutable_api_key_created_at immutable_api_key_expires_at immutable_api_key_indexes immutable_api_key_key
     immutable_api_key_uid immutable_api_key_updated_at index_scoped_api_key_with_global_action`,
  ),
  section(
    'Indexes, swaps, statistics and fields',
    `index_not_found index_already_exists index_creation_failed missing_index_uid invalid_index_uid
     invalid_index_primary_key invalid_index_custom_metadata invalid_index_limit invalid_index_offset
     immutable_index_created_at immutable_index_updated_at index_primary_key_already_exists
     index_primary_key_multiple_candidates_found index_primary_key_no_candidate_found missing_swap_indexes
     invalid_swap_indexes invalid_swap_rename invalid_swap_duplicate_index_found duplicate_index_found
     invalid_stats_show_internal_database_sizes invalid_stats_show_segments invalid_stats_size_format
     invalid_index_fields_filter
     invalid_index_fields_filter_attribute_patterns invalid_index_fields_filter_displayed
     invalid_index_fields_filter_searchable invalid_index_fields_filter_sortable invalid_index_fields_filter_distinct
     invalid_index_fields_filter_ranking_rule invalid_index_fields_filter_filterable`,
  ),
  section(
    'Documents',
    `document_not_found missing_document_id invalid_document_id invalid_document_ids invalid_document_fields
     invalid_document_limit invalid_document_offset invalid_document_retrieve_vectors invalid_document_sort
     invalid_document_use_network missing_document_filter invalid_document_filter invalid_document_csv_delimiter
     invalid_skip_creation invalid_document_geo_field invalid_document_geojson_field max_fields_limit_exceeded
     invalid_vectors_type invalid_vector_dimensions too_many_vectors vector_embedding_error
     missing_document_edition_function invalid_document_edition_function_filter invalid_document_edition_context
     edit_documents_by_function_error unretrievable_document`,
  ),
  section(
    'Search',
    `invalid_search_q invalid_search_offset invalid_search_limit invalid_search_page invalid_search_hits_per_page
     invalid_search_attributes_to_retrieve invalid_search_attributes_to_crop invalid_search_attributes_to_highlight
     invalid_search_attributes_to_search_on invalid_search_crop_length invalid_search_crop_marker
     invalid_search_highlight_pre_tag invalid_search_highlight_post_tag invalid_search_show_matches_position
     invalid_search_show_ranking_score invalid_search_show_ranking_score_details invalid_search_show_performance_details
     invalid_search_ranking_score_threshold invalid_search_matching_strategy invalid_search_filter invalid_search_sort
     invalid_search_distinct invalid_search_facets invalid_search_disjunctive_facets invalid_search_cursor search_cursor_expired invalid_search_locales invalid_search_vector invalid_search_media
     invalid_search_media_and_vector missing_search_hybrid invalid_search_hybrid_query invalid_search_embedder
     invalid_search_semantic_ratio invalid_search_retrieve_vectors invalid_search_personalize
     invalid_search_personalize_user_context invalid_search_use_network too_many_search_requests`,
  ),
  section(
    'Facet search',
    `missing_facet_search_facet_name invalid_facet_search_facet_name invalid_facet_search_query
     invalid_facet_search_exhaustive_facet_count facet_search_disabled invalid_facet_search_name`,
  ),
  section(
    'Similar documents',
    `invalid_similar_id not_found_similar_id invalid_similar_embedder invalid_similar_filter invalid_similar_limit
     invalid_similar_offset invalid_similar_attributes_to_retrieve invalid_similar_retrieve_vectors
     invalid_similar_ranking_score_threshold invalid_similar_show_ranking_score invalid_similar_show_ranking_score_details
     invalid_similar_show_performance_details`,
  ),
  section(
    'Multi-search',
    `invalid_multi_search_federation_options invalid_multi_search_query_pagination invalid_multi_search_query_facets
     invalid_multi_search_query_personalization invalid_multi_search_query_show_performance_details
     invalid_multi_search_query_ranking_rules invalid_multi_search_query_position invalid_multi_search_weight
     invalid_multi_search_remote invalid_multi_search_distinct invalid_multi_search_facets_by_index
     invalid_multi_search_facet_order invalid_multi_search_merge_facets invalid_multi_search_max_values_per_facet
     invalid_multi_search_facets invalid_multi_search_federated`,
  ),
  section(
    'Settings',
    `invalid_settings_displayed_attributes invalid_settings_searchable_attributes invalid_settings_filterable_attributes
     invalid_settings_sortable_attributes invalid_settings_foreign_keys invalid_settings_ranking_rules
     invalid_settings_stop_words invalid_settings_synonyms invalid_settings_dictionary invalid_settings_separator_tokens
     invalid_settings_non_separator_tokens invalid_settings_distinct_attribute invalid_settings_proximity_precision
     invalid_settings_typo_tolerance invalid_settings_faceting invalid_settings_pagination invalid_settings_embedders
     invalid_settings_search_cutoff_ms invalid_settings_localized_attributes invalid_settings_facet_search
     invalid_settings_prefix_search invalid_settings_index_chat`,
  ),
  section(
    'Tasks and batches',
    `task_not_found task_file_not_found batch_not_found missing_task_filters invalid_task_uids invalid_batch_uids
     invalid_task_canceled_by invalid_task_statuses invalid_task_types invalid_task_limit invalid_task_from
     invalid_task_reverse invalid_task_after_enqueued_at invalid_task_after_started_at invalid_task_after_finished_at
     invalid_task_before_enqueued_at invalid_task_before_started_at invalid_task_before_finished_at
     unretrievable_error_code`,
  ),
  section(
    'Storage and system',
    `database_size_limit_reached no_space_left_on_device too_many_open_files io_error invalid_store_file invalid_state`,
  ),
  section(
    'Dumps, snapshots',
    `dump_already_processing dump_not_found dump_process_failed invalid_s3_snapshot_request invalid_s3_snapshot_parameters
     s3_snapshot_server_error`,
  ),
  section(
    'Export',
    `invalid_export_url invalid_export_api_key invalid_export_payload_size invalid_export_index_filter
     invalid_export_index_override_settings invalid_export_indexes_patterns`,
  ),
  section(
    'Webhooks',
    `webhook_not_found invalid_webhooks invalid_webhook_url invalid_webhook_headers invalid_webhook_uuid immutable_webhook
     immutable_webhook_uuid immutable_webhook_is_editable`,
  ),
  section(
    'Dynamic search rules',
    `dynamic_search_rule_not_found invalid_dynamic_search_rule_offset invalid_dynamic_search_rule_limit
     invalid_dynamic_search_rule_filter invalid_dynamic_search_rule_filter_query invalid_dynamic_search_rule_filter_active
     invalid_dynamic_search_rule_description invalid_dynamic_search_rule_priority invalid_dynamic_search_rule_active
     invalid_dynamic_search_rule_conditions invalid_dynamic_search_rule_actions`,
  ),
  section(
    'Template rendering',
    `invalid_render_template invalid_render_input render_document_not_found template_parsing_error template_rendering_error`,
  ),
  section(
    'Chat completions',
    `chat_not_found invalid_chat_completion_org_id invalid_chat_completion_project_id invalid_chat_completion_api_version
     invalid_chat_completion_deployment_id invalid_chat_completion_base_api invalid_chat_completion_api_key
     invalid_chat_completion_source invalid_chat_completion_prompts invalid_chat_completion_pre_query_prompt
     invalid_chat_completion_system_prompt invalid_chat_completion_search_description_prompt
     invalid_chat_completion_search_query_param_prompt invalid_chat_completion_search_filter_param_prompt
     invalid_chat_completion_search_index_uid_param_prompt invalid_chat_setting_document_template
     unimplemented_external_function_calling unimplemented_non_streaming_chat_completions
     unimplemented_multi_choice_chat_completions`,
  ),
  section(
    'Network and remotes',
    `invalid_network_leader invalid_network_remotes invalid_network_shards invalid_network_self invalid_network_url
     missing_network_url invalid_network_search_api_key invalid_network_write_api_key unexpected_network_previous_remotes
     network_version_too_old network_version_mismatch unprocessed_network_task not_leader unknown_remote remote_bad_request
     remote_bad_response remote_could_not_send_request remote_invalid_api_key remote_remote_error remote_timeout
     import_task_already_received import_task_unknown_remote import_task_without_network_task
     receive_import_finished_unknown_remote`,
  ),
];

function section(title: string, codes: string): { title: string; codes: string[] } {
  return { title, codes: codes.split(/\s+/) };
}

/** The codes that are not `400`, `invalid_request`. */
const EXCEPTIONS: [status: number, type: ErrorType, codes: string][] = [
  [400, 'internal', 'unretrievable_document invalid_s3_snapshot_request invalid_s3_snapshot_parameters'],
  [401, 'auth', 'missing_authorization_header missing_master_key'],
  [403, 'auth', 'invalid_api_key remote_invalid_api_key'],
  [
    404,
    'invalid_request',
    `api_key_not_found index_not_found document_not_found task_not_found task_file_not_found batch_not_found
     dump_not_found webhook_not_found dynamic_search_rule_not_found render_document_not_found chat_not_found`,
  ],
  [409, 'invalid_request', 'api_key_already_exists index_already_exists dump_already_processing'],
  [410, 'invalid_request', 'search_cursor_expired'],
  [
    412,
    'invalid_request',
    `network_version_mismatch import_task_already_received import_task_unknown_remote
     receive_import_finished_unknown_remote`,
  ],
  [413, 'invalid_request', 'payload_too_large'],
  [415, 'invalid_request', 'missing_content_type invalid_content_type unsupported_media_type'],
  [422, 'system', 'no_space_left_on_device too_many_open_files io_error'],
  [451, 'invalid_request', 'requires_enterprise_edition'],
  [
    500,
    'internal',
    'internal index_creation_failed database_size_limit_reached invalid_store_file invalid_state dump_process_failed',
  ],
  [
    501,
    'invalid_request',
    `unimplemented_external_function_calling unimplemented_non_streaming_chat_completions
     unimplemented_multi_choice_chat_completions`,
  ],
  [502, 'internal', 's3_snapshot_server_error'],
  [502, 'system', 'remote_bad_response remote_could_not_send_request remote_remote_error remote_timeout'],
  [503, 'invalid_request', 'import_task_without_network_task'],
  [503, 'system', 'too_many_search_requests server_overloaded'],
];

const CODES = new Map<string, { status: number; type: ErrorType }>();
for (const { codes } of ERROR_SECTIONS) for (const code of codes) CODES.set(code, { status: 400, type: 'invalid_request' });
for (const [status, type, codes] of EXCEPTIONS) for (const code of codes.split(/\s+/)) CODES.set(code, { status, type });

/** The HTTP status of a code; an unknown code is a mistake of ours: 500. */
export function errorStatus(code: string): number {
  return CODES.get(code)?.status ?? 500;
}

export function errorType(code: string): ErrorType {
  return CODES.get(code)?.type ?? 'internal';
}

/** What a refused request is answered with, and what a failed task holds under `error`. */
export function errorBody(code: string, message: string): ErrorBody {
  return { message, code, type: errorType(code), link: `/docs/errors#${code}` };
}
