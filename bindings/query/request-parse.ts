import type { FacetSearchRequest, SearchRequest } from './request.js';
import { FACET_SEARCH_MEMBERS, hybridOf, SEARCH_MEMBERS, SEARCH_PARAMETERS } from './request-table.js';
import { readObject, readObjectBody, readParameters } from './validate.js';

/** Parses the body of a search. @throws ApiError for the first invalid member, in the order sent */
export function parseSearchBody(bytes: Uint8Array): SearchRequest {
  return readObject(SEARCH_MEMBERS, readObjectBody(bytes));
}

/** Parses the decoded query parameters of a search. @throws ApiError for the first invalid one, in the order sent */
export function parseSearchParameters(parameters: readonly (readonly [string, string])[]): SearchRequest {
  const { hybridEmbedder, hybridSemanticRatio, personalizeUserContext, ...plain } = readParameters(SEARCH_PARAMETERS, parameters);
  return {
    ...plain,
    media: null,
    hybrid: hybridOf({ hybridEmbedder, hybridSemanticRatio, personalizeUserContext }),
    personalize: personalizeUserContext === null ? null : { userContext: personalizeUserContext },
  };
}

/** Parses the body of a facet search; members that only searches have are ignored. @throws ApiError */
export function parseFacetSearchBody(bytes: Uint8Array): FacetSearchRequest {
  return readObject(FACET_SEARCH_MEMBERS, readObjectBody(bytes), { path: '', code: 'bad_request', lenient: true });
}
