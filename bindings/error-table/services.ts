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
  template_parsing_error: {
    meaning: 'A template of `POST /render-template` cannot be parsed.',
    messages: { syntax: 'The template does not parse: {reason}.' },
  },
  template_rendering_error: {
    meaning: 'A template of `POST /render-template` cannot be rendered for the document or the search.',
    messages: {
      failed: 'The template does not render: {reason}.',
      searchInput: 'The template does not render: it is for documents, and the input is a search.',
    },
  },
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
  invalid_chat_setting_document_template: {
    messages: { chatTemplate: '`.chat.documentTemplate` is not a valid template: {reason}.' },
  },
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
  unexpected_network_previous_remotes: {
    meaning: 'The members `previousRemotes` and `previousShards` of `PATCH /network` are reserved.',
  },
  network_version_too_old: { meaning: 'A remote has an older network. Reserved: this server does not replicate.' },
  network_version_mismatch: {
    meaning: 'An import belongs to another version of the network. Reserved: this server does not replicate.',
    status: 412,
  },
  unprocessed_network_task: {
    meaning: 'A former change of the network is not finished. Reserved: this server does not replicate.',
  },
  not_leader: { meaning: 'A write went to an instance that is not the leader. Reserved: this server does not replicate.' },
  unknown_remote: { meaning: 'No remote has this name. Reserved: this server names the member that is wrong.' },
  remote_bad_request: { meaning: 'A remote server refused the request.' },
  remote_bad_response: { meaning: 'A remote server answered something that cannot be read.', status: 502, type: 'system' },
  remote_could_not_send_request: { meaning: 'A remote server cannot be reached.', status: 502, type: 'system' },
  remote_invalid_api_key: { meaning: 'A remote server refused the API key.', status: 403, type: 'auth' },
  remote_remote_error: { meaning: 'A remote server failed.', status: 502, type: 'system' },
  remote_timeout: { meaning: 'A remote server did not answer in time.', status: 502, type: 'system' },
  import_task_already_received: {
    meaning: 'This part of an import between instances has come before. Reserved: this server does not replicate.',
    status: 412,
  },
  import_task_unknown_remote: {
    meaning: 'An import between instances comes from an unknown remote. Reserved: this server does not replicate.',
    status: 412,
  },
  import_task_without_network_task: {
    meaning: 'An import between instances came before the change of the network. Reserved: this server does not replicate.',
    status: 503,
  },
  receive_import_finished_unknown_remote: {
    meaning: 'The end of an import comes from an unknown remote. Reserved: this server does not replicate.',
    status: 412,
  },
} as const satisfies ErrorRows;
