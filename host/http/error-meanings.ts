/** What stands on the page of error codes: a sentence of its own where the name of the code does not say it all. */
import { own } from '../../bindings/own.js';

const MEANINGS: Record<string, string> = {
  bad_request:
    'The request is refused and no other code is more precise: an unknown member or parameter, a body of the wrong kind, a body that cannot be decompressed.',
  missing_content_type: 'The request has a body and no header <code>Content-Type</code>.',
  invalid_content_type: 'The content type is not one that this route accepts.',
  missing_payload: 'The request has an empty body where one is needed.',
  malformed_payload: 'The body is not valid in its format.',
  payload_too_large:
    'The decompressed body is larger than the service takes (launch option <code>http-payload-size-limit</code>).',
  server_overloaded:
    'Bodies and answers of requests under way hold all the memory they may (launch option <code>http-memory-limit</code>). Try again after the seconds of the header <code>Retry-After</code>.',
  internal: 'Something failed in the service. Please report it.',
  feature_not_enabled:
    'The request uses an experimental feature that is switched off; <code>PATCH /experimental-features</code> switches it on.',
  missing_authorization_header: 'The route needs a key in the header <code>Authorization: Bearer</code>.',
  invalid_api_key: 'The key is unknown or expired, or does not open this route or this index.',
  missing_master_key: 'Only the master key opens this route, and the service was launched without one.',
  index_not_found: 'No index has this uid.',
  index_already_exists: 'An index with this uid exists already.',
  index_primary_key_already_exists: 'The index has another primary key, which cannot change now.',
  index_primary_key_no_candidate_found:
    'No field of the first document ends with <code>id</code>: name the primary key in the request.',
  index_primary_key_multiple_candidates_found:
    'Several fields of the first document end with <code>id</code>: name the primary key in the request.',
  invalid_swap_duplicate_index_found: 'An index is named more than once among the swaps of a request.',
  missing_document_id: 'A document lacks the primary key.',
  invalid_document_id:
    'The primary key of a document is not an integer or a text of 1 to 511 letters, digits, <code>-</code> and <code>_</code>.',
  invalid_document_geo_field: 'The <code>_geo</code> of a document has no valid latitude and longitude.',
  max_fields_limit_exceeded: 'The index would have more than 65,536 fields.',
  missing_task_filters: 'At least one filter must say which tasks are meant.',
  facet_search_disabled: 'The setting <code>facetSearch</code> of the index is off.',
  too_many_search_requests: 'Too many searches wait already. Try again after the seconds of the header <code>Retry-After</code>.',
  no_space_left_on_device: 'The disk or the queue of tasks is full.',
  too_many_open_files: 'The system allows no more open files.',
  io_error: 'Reading or writing the database failed.',
  database_size_limit_reached: 'The database can grow no further.',
  invalid_store_file: 'A file of the database cannot be read or has another format.',
};

/** Families of codes: what the rest of the name stands for. */
const FAMILIES: [RegExp, (name: string) => string][] = [
  [/^missing_(.+)$/, (name) => `The ${name} is missing.`],
  [/^immutable_(.+)$/, (name) => `The ${name} cannot be changed.`],
  [/^(.+)_not_found$/, (name) => `The ${name} does not exist.`],
  [/^(.+)_already_exists$/, (name) => `The ${name} exists already.`],
  [/^invalid_settings_(.+)$/, (name) => `The setting “${name}” has a wrong type or a value that is not allowed.`],
  [/^invalid_(.+)$/, (name) => `The ${name} has a wrong type or a value that is not allowed.`],
  [/^unimplemented_(.+)$/, (name) => `Not available: ${name}.`],
  [/^(.+)$/, (name) => `Error: ${name}.`],
];

/** HTML. */
export function meaningOf(code: string): string {
  const meaning = own(MEANINGS, code);
  if (meaning) return meaning;
  const [pattern, sentence] = FAMILIES.find(([family]) => family.test(code))!;
  return sentence(pattern.exec(code)![1]!.replaceAll('_', ' '));
}
