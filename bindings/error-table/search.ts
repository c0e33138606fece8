import type { ErrorRows } from './row.js';

/** Errors about searches of all kinds, and about search rules. */

export const SEARCH = {
  invalid_search_q: {},
  invalid_search_offset: {},
  invalid_search_limit: {},
  invalid_search_page: {},
  invalid_search_hits_per_page: {},
  invalid_search_attributes_to_retrieve: {},
  invalid_search_attributes_to_crop: {},
  invalid_search_attributes_to_highlight: {},
  invalid_search_attributes_to_search_on: {
    messages: { notSearchable: 'Attribute `{attribute}` is not searchable. {searchable}' },
  },
  invalid_search_crop_length: {},
  invalid_search_crop_marker: {},
  invalid_search_highlight_pre_tag: {},
  invalid_search_highlight_post_tag: {},
  invalid_search_show_matches_position: {},
  invalid_search_show_ranking_score: {},
  invalid_search_show_ranking_score_details: {},
  invalid_search_show_performance_details: {},
  invalid_search_ranking_score_threshold: {},
  invalid_search_matching_strategy: {},
  invalid_search_filter: {
    messages: {
      foreignDocuments:
        'The filter inside `_foreign({field}, …)` selects {count} documents of index `{uid}`: {most} is the most.',
      foreignElsewhere: '`_foreign` can be used where documents are searched or read, nowhere else.',
    },
  },
  invalid_search_sort: {
    messages: { noSortRule: 'The ranking rules of the index must contain `sort` to use the sort parameter.' },
  },
  invalid_search_distinct: {
    messages: { notFilterable: 'Attribute `{attribute}` is not filterable and cannot be distinct. {available}.{rule}' },
  },
  invalid_search_facets: {},
  invalid_search_disjunctive_facets: {},
  invalid_search_cursor: {
    messages: {
      pagination:
        '`.cursor` requires a `.limit` of at least 1, and cannot be combined with `.offset`, `.page` or `.hitsPerPage`.',
      network: '`.cursor` cannot be combined with `.useNetwork`: it searches the documents of one instance.',
      personalize: '`.cursor` cannot be combined with `.personalize`: it returns all hits in the order of their ranking.',
      otherSearch: 'The cursor belongs to another search: send the one that it began with.',
    },
  },
  search_cursor_expired: {
    meaning: 'The cursor does not exist any more: it lasts for a limited time, and not longer than its index. Begin again.',
    status: 410,
    messages: {
      expired:
        'The cursor `{token}` does not exist or has ended: cursors end {bounds}, or with their index. Begin again with an empty `.cursor`.',
    },
  },
  invalid_search_locales: {},
  invalid_search_vector: {},
  invalid_search_media: {},
  invalid_search_media_and_vector: { messages: { both: '`.media` and `.vector` cannot be given in the same search.' } },
  missing_search_hybrid: { messages: { needed: '`.{member}` needs `.hybrid`, which names the embedder to use.' } },
  invalid_search_hybrid_query: {
    messages: { embedderMissing: 'Query parameter `hybridSemanticRatio` (`{ratio}`) needs `hybridEmbedder` beside it.' },
  },
  invalid_search_embedder: {},
  invalid_search_semantic_ratio: {},
  invalid_search_retrieve_vectors: {},
  invalid_search_personalize: {},
  invalid_search_personalize_user_context: {},
  invalid_search_use_network: {},
  too_many_search_requests: {
    status: 503,
    type: 'system',
    meaning: 'Too many searches wait already. Try again after the seconds of the header `Retry-After`.',
    messages: {
      searchMemory: 'The memory for searches is used up: try again later.',
      queue: 'Too many search requests: {capacity} are waiting already. Try again in a few seconds.',
    },
  },
} as const satisfies ErrorRows;

export const FACET_SEARCH = {
  missing_facet_search_facet_name: {},
  invalid_facet_search_facet_name: {
    messages: { notFacetSearchable: 'Attribute `{facetName}` is not facet-searchable. {available}.{rule}' },
  },
  invalid_facet_search_query: {},
  invalid_facet_search_exhaustive_facet_count: {},
  facet_search_disabled: {
    meaning: 'The setting `facetSearch` of the index is off.',
    messages: { disabled: 'Facet search is switched off for this index by its setting `facetSearch`.' },
  },
  invalid_facet_search_name: {},
} as const satisfies ErrorRows;

export const SIMILAR = {
  invalid_similar_id: {
    messages: {
      form: '`.id` must be a document id, an integer or a string of 1 to 511 bytes of letters, digits, `-` and `_`, but is `{id}`.',
    },
  },
  not_found_similar_id: {
    meaning: 'The index has no document with the `id` of the request for similar documents.',
    messages: { notFound: 'Index `{uid}` has no document `{id}`.' },
  },
  invalid_similar_embedder: {},
  invalid_similar_filter: {},
  invalid_similar_limit: {},
  invalid_similar_offset: {},
  invalid_similar_attributes_to_retrieve: {},
  invalid_similar_retrieve_vectors: {},
  invalid_similar_ranking_score_threshold: {},
  invalid_similar_show_ranking_score: {},
  invalid_similar_show_ranking_score_details: {},
  invalid_similar_show_performance_details: {},
} as const satisfies ErrorRows;

export const MULTI_SEARCH = {
  invalid_multi_search_federation_options: {
    messages: {
      noFederation:
        '`.federationOptions` is for queries that are merged: send `.federation` beside `.queries`, or leave the options out.',
    },
  },
  invalid_multi_search_query_pagination: {},
  invalid_multi_search_query_facets: {},
  invalid_multi_search_query_personalization: {},
  invalid_multi_search_query_show_performance_details: {},
  invalid_multi_search_query_ranking_rules: {
    messages: { notComparable: 'The hits cannot be merged: {ours}, {theirs}; {difference}.' },
  },
  invalid_multi_search_query_position: {},
  invalid_multi_search_weight: {},
  invalid_multi_search_remote: {
    messages: {
      fromPeer: 'A search that comes from another instance is answered by this one alone: it can name no remotes.',
      unknown: '`.federationOptions.remote`: the remote `{remote}` does not exist{known}.',
    },
  },
  invalid_multi_search_distinct: {},
  invalid_multi_search_facets_by_index: {},
  invalid_multi_search_facet_order: {
    messages: {
      differs:
        'Inside `.federation.facetsByIndex.{uid}`: the values of `{field}` cannot be merged: they are ordered by `{order}` in index `{uid}`, by `{before}` in `{other}`. Change `faceting.sortFacetValuesBy` in one of them.',
    },
  },
  invalid_multi_search_merge_facets: {},
  invalid_multi_search_max_values_per_facet: {},
  invalid_multi_search_facets: {},
  invalid_multi_search_federated: {},
} as const satisfies ErrorRows;

export const SEARCH_RULES = {
  dynamic_search_rule_not_found: { status: 404, messages: { notFound: 'Dynamic search rule `{uid}` not found.' } },
  invalid_dynamic_search_rule_offset: {},
  invalid_dynamic_search_rule_limit: {},
  invalid_dynamic_search_rule_filter: {},
  invalid_dynamic_search_rule_filter_query: {},
  invalid_dynamic_search_rule_filter_active: {},
  invalid_dynamic_search_rule_description: {},
  invalid_dynamic_search_rule_priority: {},
  invalid_dynamic_search_rule_active: {},
  invalid_dynamic_search_rule_conditions: {},
  invalid_dynamic_search_rule_actions: {},
} as const satisfies ErrorRows;
