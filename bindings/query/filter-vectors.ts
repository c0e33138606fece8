/** Parses `_vectors…` conditions. */
import type { FilterNode, VectorPath } from './filter-ast.js';
import type { FilterLexer } from './filter-lexer.js';

export function parseVectors(lexer: FilterLexer): FilterNode {
  const start = lexer.position;
  lexer.take('_vectors');
  const path = vectorPath(lexer, start);
  const spaced = lexer.space();
  const negated = lexer.keyword('NOT');
  const spacedAgain = lexer.space();
  if (!spaced || (negated && !spacedAgain) || !lexer.keyword('EXISTS')) {
    const rest = lexer.rest();
    throw lexer.fail(`\`_vectors\` can only be used with \`EXISTS\` and \`NOT EXISTS\`, found: \`${rest}\`.`, start);
  }
  const node: FilterNode = { kind: 'vectors', span: lexer.spanFrom(start), path };
  return negated ? { kind: 'not', item: node } : node;
}

function vectorPath(lexer: FilterLexer, start: number): VectorPath {
  if (!lexer.take('.')) return { embedder: null, detail: 'any' };
  const embedder = lexer.pathName();
  if (!embedder) throw lexer.fail(`After \`_vectors.\` the name of an embedder was expected, found: \`${lexer.rest()}\`.`, start);
  if (!lexer.take('.')) return { embedder, detail: 'any' };
  for (const detail of ['userProvided', 'documentTemplate', 'regenerate'] as const) {
    if (lexer.peekWord() !== detail) continue;
    lexer.position += detail.length;
    return { embedder, detail };
  }
  if (lexer.take('fragments.')) {
    const fragment = lexer.pathName();
    if (fragment) return { embedder, detail: { fragment } };
  }
  const allowed = '`userProvided`, `documentTemplate`, `regenerate` or `fragments.` with a name';
  throw lexer.fail(`After the name of the embedder ${allowed} was expected, found: \`${lexer.rest()}\`.`, start);
}
