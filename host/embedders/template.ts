import { Liquid, LiquidError, type Template as Parsed, toValue } from 'liquidjs';
import { defaultRendering, type PlainRendering, plainRendering } from './plain-template.js';

/** What a template of a document sees. */
export interface DocumentScope {
  doc: Record<string, unknown>;
  fields: { name: string; value: unknown; is_searchable: boolean }[];
}

/** What a fragment of a search sees; what the request lacks is undefined for the template. */
export interface SearchScope {
  q?: string;
  media?: unknown;
}

/** A template that does not parse. */
export class TemplateParseError extends Error {}
/** A template that one scope does not fit. */
export class TemplateRenderError extends Error {}

export const DEFAULT_TEMPLATE =
  '{% for field in fields %}{% if field.is_searchable and field.value != nil %}{{ field.name }}: {{ field.value }}\n{% endif %}{% endfor %}';
export const DEFAULT_TEMPLATE_BYTES = 400;

/** Characters of a template. */
const MAX_TEMPLATE_LENGTH = 1 << 20;
/** Milliseconds that one rendering may take. */
const MAX_RENDERING_MS = 500;
/** Characters and items that one rendering may make. */
const MAX_RENDERED_LENGTH = 32 << 20;
/** They read files. */
const FILE_TAGS = ['include', 'render', 'layout', 'block'] as const;

const liquid = new Liquid({
  strictVariables: true,
  strictFilters: true,
  ownPropertyOnly: true,
  lenientIf: true,
  parseLimit: MAX_TEMPLATE_LENGTH,
  renderLimit: MAX_RENDERING_MS,
  memoryLimit: MAX_RENDERED_LENGTH,
  outputEscape: outputText,
});
for (const tag of FILE_TAGS) delete liquid.tags[tag];
// the one of the library takes the other letters down
liquid.registerFilter('capitalize', (value) => {
  const [first = '', ...rest] = outputText(value);
  return first.toUpperCase() + rest.join('');
});

/** Elements and members follow each other without anything between them. */
function outputText(value: unknown): string {
  const plain: unknown = toValue(value);
  if (plain === null || plain === undefined) return '';
  if (Array.isArray(plain)) return plain.map(outputText).join('');
  if (typeof plain !== 'object') return String(plain);
  return Object.entries(plain)
    .map(([name, member]) => name + outputText(member))
    .join('');
}

/** A Liquid template: strict variables, unknown filters and tags refused, no files, bounded work. */
export class Template {
  readonly #parsed: Parsed[];
  readonly #plain: PlainRendering | null;

  /** @throws TemplateParseError */
  constructor(readonly source: string) {
    try {
      this.#parsed = liquid.parse(source);
    } catch (error) {
      throw new TemplateParseError(reasonOf(error));
    }
    this.#plain = source === DEFAULT_TEMPLATE ? defaultRendering(outputText) : plainRendering(source, outputText);
  }

  /** @throws TemplateRenderError, e.g. for a member that the scope lacks */
  render(scope: DocumentScope | SearchScope): string {
    const plain = this.#plain?.(scope) ?? null;
    if (plain !== null && plain.length <= MAX_RENDERED_LENGTH) return plain;
    try {
      return liquid.renderSync(this.#parsed, scope);
    } catch (error) {
      throw new TemplateRenderError(reasonOf(error));
    }
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof LiquidError) && !(error instanceof Error)) return String(error);
  return error.message.split('\n')[0]!;
}

/** The scope of a document: its top-level members without `_vectors`, in their order. */
export function documentScope(doc: Record<string, unknown>, isSearchable: (name: string) => boolean): DocumentScope {
  const shown = Object.hasOwn(doc, '_vectors') ? withoutVectors(doc) : doc;
  return {
    doc: shown,
    // few templates ask for them
    get fields() {
      return Object.entries(shown).map(([name, value]) => ({ name, value, is_searchable: isSearchable(name) }));
    },
  };
}

function withoutVectors({ _vectors, ...shown }: Record<string, unknown>): Record<string, unknown> {
  return shown;
}

/** At most so many bytes, whole characters; 0: all. */
export function cutText(text: string, bytes: number): string {
  if (bytes === 0 || text.length * 3 <= bytes) return text;
  const encoded = Buffer.from(text);
  if (encoded.length <= bytes) return text;
  let end = bytes;
  while (((encoded[end] as number) & 0xc0) === 0x80) end--;
  return encoded.toString('utf8', 0, end);
}
