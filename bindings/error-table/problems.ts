/**
 * What can be wrong with a value, as the part of a message that follows the place of the value; `{name}` stands for a value. The messages
 * around them are those of the code: `{place} {problem}.`
 */
export const PROBLEMS = {
  /* settings of embedders */
  namelessEmbedder: 'has an embedder with an empty name',
  notPositive: 'must be an integer of at least 1, but is {given}',
  absent: 'is missing',
  absentForSource: 'is missing: the source `{source}` requires it',
  notTemplate: 'is not a valid template: {message}',
  notUrl: 'must be an absolute URL, but is `{url}`',
  unknownModel: 'must be one of {models}, but is `{name}`',
  fixedDimensions: 'must be {dimensions} for the model `{name}`, but is {given}',
  tooManyDimensions: 'must be at most {dimensions} for the model `{name}`, but is {given}',
  badMean: 'must be a number from 0 to 1, but is {mean}',
  badSigma: 'must be a number above 0, at most 1, but is {sigma}',
  tooManyEmbedders: 'would have {count} embedders, and the limit of an index is {limit}',
  tooManyFragments: 'would have more than {limit} fragments, the limit of an index',
  oneKindOfFragments: 'has `{one}` but no `{other}`: both or neither are required',
  fragmentsWithoutDimensions: 'has fragments, so it needs `dimensions`',
  quantizedForGood: 'cannot be disabled again: remove the embedder and create a new one',
  wrongForSource: 'is not available for the source `{source}`{role}, which has {allowed}; `{field}` is available for {sources}',
  sourceInComposite: 'cannot be `{source}` in a composite embedder',

  /* `_vectors` of documents */
  vectorsNotObject: 'must be an object of embedders',
  notEntry: 'must be null, an array of numbers, an array of such arrays, or an object',
  moreThanEntry: 'has members other than `regenerate` and `embeddings`: {names}',
  regenerateNotBoolean: 'must have the member `regenerate`, `true` or `false`',
  notEmbeddings: 'must be null, an array of numbers, or an array of such arrays',
  notVector: 'must be an array of numbers, like the first element',
  notNumber: 'must be a number',

  /* `_geo` of documents */
  notLocation: 'must be null or an object with the members `lat` and `lng`',
  lacksCoordinates: 'lacks {names}',
  badCoordinates: 'must have finite numbers, or strings of such numbers, in {names}',
  moreThanLocation: 'has members other than `lat` and `lng`: {names}',

  /* webhooks */
  headerName: 'its name must be one or more letters, digits or signs such as `-`',
  headerValue: 'its value has a control character',
  notHookUrl: 'is not an absolute URL such as `https://example.com/hook`',
  notHttp: 'has the scheme `{protocol}`: the scheme must be `http:` or `https:`',
} as const;
