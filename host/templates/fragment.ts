import type { SearchScope } from './scopes.js';
import { Template, TemplateRenderError } from './template.js';

type Rendered = (scope: FragmentScope) => unknown;

/** The variables of a fragment: a document, or a search. */
export type FragmentScope = { doc: Record<string, unknown> } | SearchScope;

/** A JSON value whose strings are Liquid templates. */
export class FragmentTemplate {
  readonly #render: Rendered;

  /** @throws TemplateParseError */
  constructor(value: unknown) {
    this.#render = compile(value);
  }

  /** @throws TemplateRenderError */
  render(scope: FragmentScope): unknown {
    return this.#render(scope);
  }

  /** null when the fragment cannot be rendered for this scope. */
  tryRender(scope: FragmentScope): { value: unknown } | null {
    try {
      return { value: this.#render(scope) };
    } catch (error) {
      if (error instanceof TemplateRenderError) return null;
      throw error;
    }
  }
}

function compile(value: unknown): Rendered {
  if (typeof value === 'string') {
    const template = new Template(value);
    return (scope) => template.render(scope as SearchScope);
  }
  if (Array.isArray(value)) {
    const items = value.map(compile);
    return (scope) => items.map((item) => item(scope));
  }
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([name, member]) => [name, compile(member)] as const);
    return (scope) => Object.fromEntries(members.map(([name, member]) => [name, member(scope)]));
  }
  return () => value;
}
