export {
  BUILDER_ADDED,
  BUILDER_TOO_MANY_FIELDS,
  BuilderState,
  builderAdd,
  builderAddVectors,
  builderBegin,
  builderEnd,
  builderFinish,
  builderInput,
} from './builder';
export { CONFIG_ALL_SEARCHABLE, CONFIG_DISABLE_ON_NUMBERS, CONFIG_GEO, CONFIG_NO_DOCUMENTS, CONFIG_NO_WORDS } from './config';
export { FieldState } from './fields';
