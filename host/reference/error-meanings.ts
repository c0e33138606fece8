import { ERROR_SECTIONS } from '../../bindings/error-table/table.js';

/** Patterns of error codes with a common form, and the meaning derived from the rest of the name. */
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

/** The meaning of an error code, in one or two sentences. */
function meaningOf(code: string): string {
  const [pattern, sentence] = FAMILIES.find(([family]) => family.test(code))!;
  return sentence(pattern.exec(code)![1]!.replaceAll('_', ' '));
}

/** Meanings by error code. */
export const MEANINGS: ReadonlyMap<string, string> = new Map(
  ERROR_SECTIONS.flatMap(({ rows }) =>
    Object.entries(rows).map(([code, { meaning }]) => [code, meaning ?? meaningOf(code)] as const),
  ),
);
