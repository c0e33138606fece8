import { MEANINGS } from '../../bindings/error-table/meanings.js';
import { ERROR_SECTIONS, errorStatus, errorType } from '../../bindings/error-table/table.js';

/** The page docs/reference/errors.md, in Markdown. */
export function errorReference(): string {
  const sections = ERROR_SECTIONS.map(({ title, rows }) => {
    const codes = Object.entries(rows).map(([code, { messages = {} }]) => entry(code, Object.values(messages)));
    return `## ${title}\n\n${codes.join('\n')}\n`;
  });
  return `${HEAD}\n${sections.join('\n')}`;
}

const HEAD = `# Errors

A refused request is answered with an error, and a failed task contains one: \`message\` is for people, \`code\` and \`type\` are for
programs, \`link\` leads to the code on the page \`/docs/errors\` of the server. Codes are never renamed or reused with another meaning.
Each code is followed by the HTTP status and the type. Below are the messages that only this code has; \`{…}\` stands for a value. Codes of
members and parameters have messages that name the member and the values that are allowed.

This page is generated from \`bindings/error-table\` by \`npm run reference\`.
`;

function entry(code: string, messages: string[]): string {
  const meaning = `- **\`${code}\`** (${errorStatus(code)}, ${errorType(code)}): ${MEANINGS.get(code)}`;
  return [meaning, ...messages.map((message) => `  - ${message}`)].join('\n');
}
