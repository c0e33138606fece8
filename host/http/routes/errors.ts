import type { FastifyInstance } from 'fastify';
import { MEANINGS } from '../../../bindings/error-table/meanings.js';
import { ERROR_SECTIONS, errorStatus, errorType } from '../../../bindings/error-table/table.js';

/** The page that the `link` of errors leads to, with an anchor for each code. */
export function errorPage(app: FastifyInstance): void {
  const page = Buffer.from(render());
  app.get('/docs/errors', (_request, reply) => reply.header('content-type', 'text/html; charset=utf-8').send(page));
}

function render(): string {
  const sections = ERROR_SECTIONS.map(
    ({ title, rows }) => `<h2>${title}</h2>\n<dl>\n${Object.keys(rows).map(entry).join('\n')}\n</dl>`,
  );
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Error codes</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:48rem;margin:2rem auto;padding:0 1rem}dt{margin-top:1rem}:target{background:#ff9}</style>
<h1>Error codes</h1>
<p>An error has a message for people, and a code and a type for programs. The same codes stand in failed tasks.</p>
${sections.join('\n')}
</html>
`;
}

function entry(code: string): string {
  const meaning = MEANINGS.get(code)!.replace(/`([^`]*)`/g, '<code>$1</code>');
  return `<dt id="${code}"><code>${code}</code> (${errorStatus(code)}, ${errorType(code)})</dt><dd>${meaning}</dd>`;
}
