import { own } from '../../bindings/own.js';
import type { DocumentScope, SearchScope } from './template.js';

/** Renders the scopes that it can; null: the language of templates has to. */
export type PlainRendering = (scope: DocumentScope | SearchScope) => string | null;

/** A member of the document, and those within it. */
const MEMBER = /\{\{\s*doc((?:\.[A-Za-z_]\w*)+)\s*\}\}/;
/** Beginnings and ends of what else templates may hold. */
const OTHERWISE = /\{\{|\{%|\}\}|%\}/;
/** They mean something of all values. */
const MEANING = new Set(['size', 'first', 'last']);

/**
 * Templates that do nothing but name members of the document, as most do, are rendered without the language of templates: a tenth of the
 * time for what is done for every document, twice. null: it does more. @param write how a value is written
 */
export function plainRendering(source: string, write: (value: unknown) => string): PlainRendering | null {
  // with a group, `split` answers in turn what stands between members and their paths
  const parts = source.split(new RegExp(MEMBER, 'g'));
  const texts = parts.filter((_, place) => place % 2 === 0);
  const paths = parts.filter((_, place) => place % 2 === 1).map((path) => path.slice(1).split('.'));
  if (texts.some((text) => OTHERWISE.test(text)) || paths.flat().some((name) => MEANING.has(name))) return null;
  return (scope) => {
    let rendered = texts[0] as string;
    for (let place = 0; place < paths.length; place++) {
      const value = 'doc' in scope ? memberAt(scope.doc, paths[place] as string[]) : undefined;
      if (value === undefined) return null;
      rendered += write(value) + texts[place + 1];
    }
    return rendered;
  };
}

/** undefined: it is not there, or within something else than an object. */
function memberAt(document: Record<string, unknown>, path: readonly string[]): unknown {
  let value: unknown = document;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    value = own(value as Record<string, unknown>, name);
  }
  return value;
}

/** What the default template renders: the fields that are searched, but for null. */
export function defaultRendering(write: (value: unknown) => string): PlainRendering {
  return (scope) => {
    if (!('fields' in scope)) return null;
    let rendered = '';
    for (const { name, value, is_searchable } of scope.fields) {
      if (is_searchable && value !== null && value !== undefined) rendered += `${name}: ${write(value)}\n`;
    }
    return rendered;
  };
}
