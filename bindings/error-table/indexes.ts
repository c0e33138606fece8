import type { ErrorRows } from './row.js';

/** Errors about indexes, their documents and their settings. */

export const INDEXES = {
  index_not_found: {
    status: 404,
    meaning: 'No index has this uid.',
    messages: {
      absent: 'There is no index `{uid}`.',
      notFound: 'Index `{uid}` not found.',
      notSwapped: 'Nothing was swapped: {indexes} not found.',
    },
  },
  index_already_exists: {
    status: 409,
    meaning: 'An index with this uid exists already.',
    messages: { exists: 'Index `{uid}` already exists.' },
  },
  index_creation_failed: {
    meaning: 'The index could not be created. Reserved: this server reports the cause of the failure.',
    status: 500,
    type: 'internal',
  },
  missing_index_uid: {},
  invalid_index_uid: {},
  invalid_index_primary_key: {},
  invalid_index_custom_metadata: {},
  invalid_index_limit: {},
  invalid_index_offset: {},
  immutable_index_created_at: {},
  immutable_index_updated_at: {},
  index_primary_key_already_exists: {
    meaning: 'The index has another primary key, which cannot change now.',
    messages: {
      ofIndex: 'Index `{uid}` already has the primary key `{ofIndex}`; `{ofRequest}` cannot replace it.',
      hasDocuments: 'Index `{uid}` has documents and the primary key `{before}`: it cannot become `{primaryKey}`.',
    },
  },
  index_primary_key_multiple_candidates_found: {
    meaning: 'Several fields of the first document end with `id`: name the primary key in the request.',
    messages: {
      several:
        'Index `{uid}` has no primary key, and {count} members of the first document have a name that ends with `id`, among them `{first}` and `{second}`. Name the primary key in the parameter `primaryKey`.',
    },
  },
  index_primary_key_no_candidate_found: {
    meaning: 'No field of the first document ends with `id`: name the primary key in the request.',
    messages: {
      none: 'Index `{uid}` has no primary key, and no member of the first document has a name that ends with `id`. Name the primary key in the parameter `primaryKey`.',
    },
  },
  missing_swap_indexes: {},
  invalid_swap_indexes: { messages: { notTwo: '`[{position}].indexes` must name two indexes, but names {count}.' } },
  invalid_swap_rename: {},
  invalid_swap_duplicate_index_found: {
    meaning: 'An index is named more than once among the swaps of a request.',
    messages: { repeated: 'An index can be swapped once in a request; named more often: {indexes}.' },
  },
  duplicate_index_found: { meaning: 'An index is named twice. Reserved: a swap answers `invalid_swap_duplicate_index_found`.' },
  invalid_stats_show_internal_database_sizes: {},
  invalid_stats_show_segments: {},
  invalid_stats_size_format: {},
  invalid_index_fields_filter: {},
  invalid_index_fields_filter_attribute_patterns: {},
  invalid_index_fields_filter_displayed: {},
  invalid_index_fields_filter_searchable: {},
  invalid_index_fields_filter_sortable: {},
  invalid_index_fields_filter_distinct: {},
  invalid_index_fields_filter_ranking_rule: {},
  invalid_index_fields_filter_filterable: {},
} as const satisfies ErrorRows;

export const DOCUMENTS = {
  document_not_found: { status: 404, messages: { notFound: 'Index `{uid}` has no document `{id}`.' } },
  missing_document_id: {
    meaning: 'A document lacks the primary key.',
    messages: {
      missing: '{place} has no member `{primaryKey}`, which is the primary key.',
      takenAway: 'Document `{key}`: the function takes away the primary key `{primaryKey}`.',
    },
  },
  invalid_document_id: {
    meaning: 'The primary key of a document is not an integer or a text of 1 to 511 letters, digits, `-` and `_`.',
    messages: {
      form: '{place} has the id `{id}` in `{primaryKey}`: an id is an integer or a string of 1 to 511 bytes of `a-z`, `A-Z`, `0-9`, `-` and `_`.',
    },
  },
  invalid_document_ids: { messages: { element: '`.ids[{position}]` must be a document id, {form}, but is {found}.' } },
  invalid_document_fields: {
    messages: {
      template:
        'The template of the embedder `{embedder}` does not render for document `{key}`: {reason}. The document has `{members}`.',
    },
  },
  invalid_document_limit: {},
  invalid_document_offset: {},
  invalid_document_retrieve_vectors: {},
  invalid_document_sort: {
    messages: { noLocations: 'No document has a `_geo` location: the documents cannot be sorted by `_geoPoint`.' },
  },
  invalid_document_use_network: {},
  missing_document_filter: {},
  invalid_document_filter: {
    messages: {
      emptyForDeletion: 'The filter `.filter` is empty: it must say which documents to delete.',
      emptyForEdition: 'The filter `.filter` is empty: leave it out to edit all documents.',
    },
  },
  invalid_document_csv_delimiter: {},
  invalid_skip_creation: {},
  invalid_document_geo_field: {
    meaning: 'The `_geo` of a document has no valid latitude and longitude.',
    messages: { location: 'The member `_geo` of document `{key}` {problem}: `{found}`.' },
  },
  invalid_document_geojson_field: {
    messages: {
      geometry: 'The member `_geojson` of document `{key}` must be a GeoJSON geometry, Feature or FeatureCollection: `{found}`.',
    },
  },
  max_fields_limit_exceeded: {
    meaning: 'The index would have more than 65,536 fields.',
    messages: { fields: 'An index can have at most 65,536 distinct field paths; this document brings more.' },
  },
  invalid_vectors_type: { messages: { member: '`._vectors{path}` of document `{key}` {reason}: `{found}`.' } },
  invalid_vector_dimensions: {
    messages: {
      ofQuery: '`.vector` has {found} dimensions, and the embedder `{name}` has {dimensions}.',
      ofDocument:
        '`._vectors.{name}` of document `{key}`: embedding {position} has {found} dimensions, and the embedder has {dimensions}.',
      ofSettings:
        'Document `{key}` has vectors of {found} dimensions of its own for the embedder `{name}`, which would have {dimensions}.',
    },
  },
  too_many_vectors: {
    meaning: 'A document has more vectors of an embedder than it may have. Reserved: this server keeps the first 256.',
  },
  vector_embedding_error: {
    meaning:
      'An embedder could not embed a text: its source refused it, did not answer, or answered something else than vectors.',
    messages: {
      answerItems: 'The answer has {count} items in `response{path}`, not {wanted}.',
      answerMember: 'The answer has no member `response{path}` (see `{place}`).{hint}',
      answerKind: '`response{path}` of the answer must be {expected} (see `{place}`), but is {found}.',
      noPlaceholder: '`{place}` must contain one string `{placeholder}`, but has none.',
      placeholderTwice: '`{place}` contains `{placeholder}` twice, at `{first}` and `{second}`: it must contain it once.',
      repeatTwice: '`{place}` contains `{mark}` more than once: at `{first}` and `{second}`.',
      repeatOutside: '`{mark}` at `{place}` must be an item of an array.',
      repeatSecond: '`{mark}` at `{place}` must be the second item of its array.',
      repeatLast: '`{mark}` must be the last item of `{place}`.',
      repeatInOne: '`{place}.{one}` repeats an item with `{mark}`, but `{place}.{other}` does not: both must or neither.',
      repeatedItem: 'The item that `{mark}` repeats at `{place}` must contain `{placeholder}`.',
      noTexts: 'The embedder `{name}` embeds no texts: a `vector` must be given.',
      timeout: 'The embedder `{name}` did not answer in time.',
      gone: 'The embedder `{embedder}` is gone.',
      noSearchFragments: 'The embedder `{name}` has no search fragments, so it embeds texts alone.',
      oneSearchFragment: 'Exactly one search fragment of the embedder `{name}` must fit the search, but {found}.',
      noTextsAt: 'The embedder at `{where}` embeds no texts: a `vector` must be given.',
      ollamaUrl: '`{place}.url` must end with `/api/embed` or `/api/embeddings`, but is `{url}`.',
      userProvided:
        'Index `{uid}`: the embedder `{name}` makes no vectors, so documents must bring them in `._vectors.{name}`; {count} do not, `{first}` first. {wayOut}',
      templateAndFragments:
        '`{place}` cannot have both `documentTemplate` and fragments: a document is embedded by one or the other.',
      problem: '`{place}` {problem}.',
    },
  },
  missing_document_edition_function: {},
  invalid_document_edition_function_filter: {},
  invalid_document_edition_context: {},
  edit_documents_by_function_error: {
    meaning: 'The function that edits documents failed, does not end, or returned a value that is not a document.',
    messages: {
      document: 'Document `{key}`: the function {problem}.',
      function: 'The function {problem}.',
      endless: 'The function does not end.',
    },
  },
  unretrievable_document: {
    meaning: 'A stored document cannot be read. Reserved: this server answers `internal`.',
    type: 'internal',
  },
} as const satisfies ErrorRows;

export const SETTINGS = {
  invalid_settings_displayed_attributes: {},
  invalid_settings_searchable_attributes: {},
  invalid_settings_filterable_attributes: {},
  invalid_settings_sortable_attributes: {},
  invalid_settings_foreign_keys: {},
  invalid_settings_ranking_rules: {},
  invalid_settings_stop_words: {},
  invalid_settings_synonyms: {},
  invalid_settings_dictionary: {},
  invalid_settings_separator_tokens: {},
  invalid_settings_non_separator_tokens: {},
  invalid_settings_distinct_attribute: {},
  invalid_settings_proximity_precision: {},
  invalid_settings_typo_tolerance: {
    messages: {
      sizes: 'Index `{uid}`: `minWordSizeForTypos.oneTypo` would be {oneTypo}, greater than `twoTypos`, which is {twoTypos}.',
    },
  },
  invalid_settings_faceting: {},
  invalid_settings_pagination: {},
  invalid_settings_embedders: {
    messages: {
      chatTemplateBytes: '`.chat.documentTemplateMaxBytes` must be an integer of at least 1, but is 0.',
      embedder: '`{place}` {problem}.',
    },
  },
  invalid_settings_search_cutoff_ms: {},
  invalid_settings_localized_attributes: {},
  invalid_settings_facet_search: {},
  invalid_settings_prefix_search: {},
  invalid_settings_index_chat: {},
} as const satisfies ErrorRows;
