import type { ErrorRows } from './row.js';

/** Errors about requests in general: bodies, headers, API keys. */

export const REQUESTS = {
  bad_request: {
    meaning:
      'The request is refused and no other code is more precise: an unknown member or parameter, a body of the wrong kind, a body that cannot be decompressed.',
    messages: {
      workingMemory:
        'This request needs more than {mebibytes} MiB of working memory: ask for fewer hits or facets at once, or with a shorter text.',
      notHttp: 'The request is not valid HTTP.',
      longHead:
        'The path and the headers of the request are longer than {bytes} bytes: send searches with long filters with `POST`.',
      slowRequest: 'The request was not received in time.',
      notAnObject: 'The body must be a JSON object, but is {found}.',
      ownFunction: "The function `{name}` is the service's own: leave it out.",
      neededBySource: '`.{member}` is missing: the source `{source}` needs it.',
      undecodable: 'The body cannot be decompressed: {reason}.',
      incomplete: 'The request ended before its body was complete.',
      notIds: 'The body must be an array of document ids, but is `{found}`.',
      profileMemory: '`.profileMemory` is for the mode `profile`, but `.mode` is another one.',
      secondLogStream: 'Another stream of the log is open: DELETE /logs/stream ends it.',
      notSwaps: 'The body must be an array of swaps, but is {found}.',
      notASwap: '`[{position}]` must be an object with `indexes`, but is {found}.',
      notAPattern: '`{path}`: `{pattern}` is neither an index uid nor the beginning of one and `*`.',
      notAnObjectAt: '`{path}` must be an object, but is {found}.',
      script: '`.function` does not compile: {problem}',
      startAfterEnd: '`{path}.start` is later than `{path}.end`.',
      emptyAndWords: '`{path}` requires both an empty query and words.',
    },
  },
  bad_parameter: {
    meaning: 'A parameter of the request is not valid. Reserved: this server answers with the code of the parameter.',
  },
  missing_content_type: {
    status: 415,
    meaning: 'The request has a body and no header `Content-Type`.',
    messages: { missing: 'The header `Content-Type` is missing: accepted are {accepted}.' },
  },
  invalid_content_type: {
    status: 415,
    meaning: 'The content type is not one that this route accepts.',
    messages: {
      notAccepted: 'The content type `{found}` is not accepted here: accepted are {accepted}.',
      csvDelimiter: '`csvDelimiter` is for `text/csv`, but the content type is `{found}`.',
    },
  },
  unsupported_media_type: {
    meaning: 'The body has a media type that the route does not take. Reserved: this server answers `invalid_content_type`.',
    status: 415,
  },
  missing_payload: {
    meaning: 'The request has an empty body where one is needed.',
    messages: {
      json: 'The request has no body; a JSON value is expected.',
      documents: 'The request has no body; documents as {format} are expected.',
    },
  },
  malformed_payload: {
    meaning: 'The body is not valid in its format.',
    messages: {
      utf8: 'The body is not valid UTF-8.',
      json: 'The body is not valid JSON: {reason}.',
      csv: 'The `csv` payload is malformed: {reason}.',
      documents: 'The `{format}` payload is malformed: {reason}.',
    },
  },
  payload_too_large: {
    status: 413,
    meaning: 'The decompressed body is larger than the service accepts (launch option `http-payload-size-limit`).',
    messages: {
      body: 'The body is larger than {limit}, the limit of this service.',
      payload: 'A payload must be shorter than 4 GiB.',
    },
  },
  server_overloaded: {
    status: 503,
    type: 'system',
    meaning:
      'Bodies and answers of current requests take all of their memory (launch option `http-memory-limit`). Try again after the seconds of the header `Retry-After`.',
    messages: {
      memory:
        'Bodies and answers of current requests take more than {limit} bytes (--http-memory-limit). Try again in a few seconds.',
    },
  },
  internal: {
    status: 500,
    type: 'internal',
    meaning: 'Something failed in the service. Please report it.',
    messages: {
      search: 'The server failed to answer this search.',
      shuttingDown: 'The server is shutting down.',
      gaveUp: 'The search took far longer than its budget and was given up.',
      threadEnded: 'The thread that ran the search ended.',
    },
  },
  invalid_header_value: {},
  inconsistent_document_change_headers: {
    meaning:
      'Headers that instances send one another come as a group, and some of it is missing. Reserved: this server does not replicate.',
  },
  feature_not_enabled: {
    meaning: 'The request uses an experimental feature that is switched off; `PATCH /experimental-features` switches it on.',
    messages: {
      useNetwork: 'Using `useNetwork` requires the experimental feature `network`: enable it with PATCH /experimental-features.',
      experimental: '{attempt} requires the experimental feature `{feature}`: enable it with PATCH /experimental-features.',
      noReranker: 'Passing `personalize` requires a reranking service, and none is configured.',
    },
  },
  requires_enterprise_edition: {
    meaning: 'The request asks for replication or sharding, which are not part of this server.',
    status: 451,
    messages: {
      replication:
        '{what} is not part of this service: instances are not replicated. Remotes without a leader can be searched together.',
    },
  },
} as const satisfies ErrorRows;

export const AUTHENTICATION = {
  missing_authorization_header: {
    status: 401,
    type: 'auth',
    meaning: 'The route needs a key in the header `Authorization: Bearer`.',
    messages: { needed: 'A key is needed as `Authorization: Bearer <KEY>`: {problem}.' },
  },
  invalid_api_key: {
    status: 403,
    type: 'auth',
    meaning: 'The key is unknown or expired, or does not open this route or this index.',
    messages: {
      indexNotAllowed: 'The key in the `Authorization` header is not allowed on index `{uid}` of {place}. Allowed: {allowed}.',
      notForRoute: 'The key in the `Authorization` header is not valid for this route: {reason}.',
      empty: 'The `Authorization` header has no key after `Bearer`.',
      tenantToken: 'The tenant token in the `Authorization` header is refused: {reason}.',
    },
  },
  missing_master_key: {
    status: 401,
    type: 'auth',
    meaning: 'Only the master key opens this route, and the service was launched without one.',
    messages: { noMasterKey: 'API keys exist only for a service that was started with a master key.' },
  },
} as const satisfies ErrorRows;

export const API_KEYS = {
  api_key_already_exists: { status: 409, messages: { taken: 'There is already an API key with the uid `{uid}`.' } },
  api_key_not_found: { status: 404, messages: { notFound: 'API key `{identifier}` not found.' } },
  missing_api_key_actions: {},
  missing_api_key_expires_at: {},
  missing_api_key_indexes: {},
  invalid_api_key_actions: {},
  invalid_api_key_description: {},
  invalid_api_key_expires_at: {},
  invalid_api_key_indexes: {},
  invalid_api_key_limit: {},
  invalid_api_key_offset: {},
  invalid_api_key_name: {},
  invalid_api_key_uid: {},
  immutable_api_key_actions: {},
  immutable_api_key_created_at: {},
  immutable_api_key_expires_at: {},
  immutable_api_key_indexes: {},
  immutable_api_key_key: {},
  immutable_api_key_uid: {},
  immutable_api_key_updated_at: {},
  index_scoped_api_key_with_global_action: {
    meaning: 'A key that is limited to some indexes cannot have an action that belongs to no index.',
    messages: {
      scoped: 'The action `{action}` is bound to no index: a key with it needs `*` among its `indexes`, not only {indexes}.',
    },
  },
} as const satisfies ErrorRows;
