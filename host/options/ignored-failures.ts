/** The modes are names beginning with `ignore_`, separated by commas. */
const MODES = new Set(process.env.MEILI_EXPERIMENTAL_CONFIG_EMBEDDER_FAILURE_MODES?.split(',').map((mode) => mode.trim()));

/** Failures after which documents are still stored, without a vector. */
export const IGNORED_FAILURES = {
  templates: MODES.has('ignore_document_template_failures'),
  models: MODES.has('ignore_embedder_failures'),
};
