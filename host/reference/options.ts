import { optionTexts } from '../options/options.js';

/** The page docs/reference/options.md, in Markdown. */
export function optionReference(): string {
  return `${HEAD}\n${optionTexts().map(entry).join('\n')}\n`;
}

const HEAD = `# Options

An option is a flag of the command line, an environment variable or a line of a configuration file; the command line wins over the
environment, which wins over the file. \`--db-path\` is \`PEREGRINE_DB_PATH\` or \`MEILI_DB_PATH\` in the environment and \`db_path\` in the file.
Sizes are numbers of bytes, or texts such as \`100 MB\` and \`2 GiB\`. The commands \`check\` and \`repair\` take the same options.

This page is generated from \`host/options/table.ts\` by \`npm run reference\`. The defaults are in parentheses.
`;

function entry({ flag, meaning, initial }: ReturnType<typeof optionTexts>[number]): string {
  return `- **\`${flag}\`**: ${meaning}${initial === null ? '' : ` (${initial})`}`;
}
