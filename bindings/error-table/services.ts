import type { ErrorRows } from './row.js';

/** Errors about templates, chats and other instances. */

export const RENDERING = {
  invalid_render_template: {
    messages: {
      noEmbedder: 'Index `{uid}` has no embedder `{name}`.',
      noDocumentTemplate: 'The embedder `{embedder}` has no document template.',
      noFragment: 'The embedder `{embedder}` has no such fragment `{fragment}`: {there}.',
    },
  },
  invalid_render_input: {},
  render_document_not_found: { status: 404 },
  template_parsing_error: { messages: { syntax: 'The template does not parse: {reason}.' } },
  template_rendering_error: { messages: { failed: 'The template does not render: {reason}.' } },
} as const satisfies ErrorRows;

export const CHATS = {
  chat_not_found: { status: 404, messages: { notFound: 'Chat workspace `{uid}` not found.' } },
  invalid_chat_completion_org_id: {},
  invalid_chat_completion_project_id: {},
  invalid_chat_completion_api_version: {},
  invalid_chat_completion_deployment_id: {},
  invalid_chat_completion_base_api: {},
  invalid_chat_completion_api_key: {},
  invalid_chat_completion_source: {},
  invalid_chat_completion_prompts: {},
  invalid_chat_completion_pre_query_prompt: {},
  invalid_chat_completion_system_prompt: {},
  invalid_chat_completion_search_description_prompt: {},
  invalid_chat_completion_search_query_param_prompt: {},
  invalid_chat_completion_search_filter_param_prompt: {},
  invalid_chat_completion_search_index_uid_param_prompt: {},
  invalid_chat_setting_document_template: { messages: { chatTemplate: '`.chat.documentTemplate` is no template: {reason}.' } },
  unimplemented_external_function_calling: {
    status: 501,
    messages: { function: 'The function `{name}` cannot be called: only {known} can be declared.' },
  },
  unimplemented_non_streaming_chat_completions: {
    status: 501,
    messages: { stream: 'Answers in one piece are not available: send `.stream` as `true`.' },
  },
  unimplemented_multi_choice_chat_completions: { status: 501, messages: { choices: '`.n` must be 1, but is {n}.' } },
} as const satisfies ErrorRows;

export const NETWORK = {
  invalid_network_leader: {},
  invalid_network_remotes: {},
  invalid_network_shards: {},
  invalid_network_self: {},
  invalid_network_url: {},
  missing_network_url: {},
  invalid_network_search_api_key: {},
  invalid_network_write_api_key: {},
  unexpected_network_previous_remotes: {},
  network_version_too_old: {},
  network_version_mismatch: { status: 412 },
  unprocessed_network_task: {},
  not_leader: {},
  unknown_remote: {},
  remote_bad_request: {},
  remote_bad_response: { status: 502, type: 'system' },
  remote_could_not_send_request: { status: 502, type: 'system' },
  remote_invalid_api_key: { status: 403, type: 'auth' },
  remote_remote_error: { status: 502, type: 'system' },
  remote_timeout: { status: 502, type: 'system' },
  import_task_already_received: { status: 412 },
  import_task_unknown_remote: { status: 412 },
  import_task_without_network_task: { status: 503 },
  receive_import_finished_unknown_remote: { status: 412 },
} as const satisfies ErrorRows;
