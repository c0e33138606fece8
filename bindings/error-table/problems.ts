/**
 * What can be wrong with a value, as the part of a message that follows the place of the value; `{name}` stands for a value. The messages
 * around them are those of the code: `{place} {problem}.`
 */
export const PROBLEMS = {
  /* settings of embedders */
  namelessEmbedder: 'cannot hold an embedder without a name',
  notPositive: 'must be an integer of at least 1',
  absent: 'is missing',
  absentForSource: 'is missing: the source `{source}` requires it',
  notTemplate: 'is no template: {message}',
  notUrl: 'must be an absolute URL, but is `{url}`',
  unknownModel: 'must be one of {models}, but is `{name}`',
  fixedDimensions: 'must be {dimensions} for the model `{name}`',
  tooManyDimensions: 'must be at most {dimensions} for the model `{name}`',
  badMean: 'must be a number from 0 to 1, but is {mean}',
  badSigma: 'must be a number above 0, at most 1, but is {sigma}',
  tooManyEmbedders: 'would hold {count} embedders, and an index has {limit} at most',
  tooManyFragments: 'would hold more than {limit} fragments',
  oneKindOfFragments: 'has `{one}` but no `{other}`: it needs both or neither',
  fragmentsWithoutDimensions: 'has fragments, so it needs `dimensions`',
  quantizedForGood: 'cannot be taken back: remove the embedder and create it anew',
  wrongForSource: 'does not go with the source `{source}`{role}, which takes {allowed}; `{field}` is for {sources}',
  sourceInComposite: 'cannot be `{source}` inside a composite embedder',

  /* `_vectors` of documents */
  vectorsNotObject: 'must be an object of embedders',
  notEntry: 'must be null, an array of numbers, an array of such arrays, or an object',
  moreThanEntry: 'holds more than `regenerate` and `embeddings`: {names}',
  regenerateNotBoolean: 'must have a boolean `regenerate`',
  notEmbeddings: 'must be null, an array of numbers, or an array of such arrays',
  notVector: 'must be an array of numbers, as the first one is',
  notNumber: 'must be a number',

  /* `_geo` of documents */
  notLocation: 'must be null or an object with the members `lat` and `lng`',
  lacksCoordinates: 'lacks {names}',
  badCoordinates: 'must hold finite numbers, or strings that are such, in {names}',
  moreThanLocation: 'holds more than `lat` and `lng`: {names}',

  /* webhooks */
  headerName: 'its name must be one or more letters, digits or signs such as `-`',
  headerValue: 'its value has a control character',
  notHookUrl: 'is not an absolute URL such as `https://example.com/hook`',
  notHttp: 'has the scheme `{protocol}`: it must be `http:` or `https:`',
} as const;
