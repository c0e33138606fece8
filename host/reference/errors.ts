import { ERROR_SECTIONS, errorStatus, errorType } from '../../bindings/error-table/table.js';
import { MEANINGS } from './error-meanings.js';

/** The page docs/reference/errors.md, in Markdown. */
export function errorReference(): string {
  const sections = ERROR_SECTIONS.map(({ title, rows }) => {
    const codes = Object.entries(rows).map(([code, { messages = {} }]) => entry(code, Object.values(messages)));
    return `## ${title}\n\n${codes.join('\n')}\n`;
  });
  return `${HEAD}\n${sections.join('\n')}`;
}

const HEAD = `# Errors

A refused request is answered with an error, and a failed task holds one: \`message\` is for people, \`code\` and \`type\` are for
programs, \`link\` leads to the code on the page \`/docs/errors\` of the server. A code is never renamed and never gets another meaning.
Behind each code stand the HTTP status of the answer and the type. Below it are the messages that come with this code alone; \`{…}\`
stands for a value. Codes of members and parameters have messages that say which member it is and what it may be.

This page is made from \`bindings/error-table\` by \`npm run reference\`.
`;

function entry(code: string, messages: string[]): string {
  const meaning = `- **\`${code}\`** (${errorStatus(code)}, ${errorType(code)}): ${MEANINGS.get(code)}`;
  return [meaning, ...messages.map((message) => `  - ${message}`)].join('\n');
}
