import { ERROR_SECTIONS } from '../../bindings/error-table/table.js';

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

/** What an error code means, in a sentence or two. Names of members and options stand in backticks. */
function meaningOf(code: string): string {
  const [pattern, sentence] = FAMILIES.find(([family]) => family.test(code))!;
  return sentence(pattern.exec(code)![1]!.replaceAll('_', ' '));
}

/** By code. */
export const MEANINGS: ReadonlyMap<string, string> = new Map(
  ERROR_SECTIONS.flatMap(({ rows }) =>
    Object.entries(rows).map(([code, { meaning }]) => [code, meaning ?? meaningOf(code)] as const),
  ),
);
