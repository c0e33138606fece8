import type { Template as Parsed } from 'liquidjs';
import { cpuTime } from '../runtime/cpu.js';
import { liquidEngine, MAX_RENDERED_LENGTH, MAX_RENDERING_MS, MAX_TEMPLATE_LENGTH } from './liquid.js';
import { outputText } from './output.js';
import { defaultRendering, type PlainRendering, plainRendering } from './plain.js';
import type { DocumentScope, SearchScope } from './scopes.js';

/** A template with a syntax error. */
export class TemplateParseError extends Error {}
/** A template that cannot be rendered for one scope. */
export class TemplateRenderError extends Error {}

export const DEFAULT_TEMPLATE =
  '{% for field in fields %}{% if field.is_searchable and field.value != nil %}{{ field.name }}: {{ field.value }}\n{% endif %}{% endfor %}';
export const DEFAULT_TEMPLATE_BYTES = 400;

const RAW_TAG = /(?<before>\{%-?)\s*(?<name>raw|endraw)\s*(?<after>-?%\})/g;

/**
 * Applies the white space control of `raw` blocks: the library finds the end of one only without a hyphen, and trims nothing in
 * it.
 */
function withPlainRaw(source: string): string {
  let [plain, from, isRaw] = ['', 0, false];
  for (const { index, 0: tag, groups } of source.matchAll(RAW_TAG)) {
    const { before, name, after } = groups as { before: string; name: string; after: string };
    // In a block only its end counts, and outside of one only its beginning.
    if (isRaw !== (name === 'endraw')) continue;
    const between = source.slice(from, index);
    const trimmed = isRaw && before === '{%-' ? between.trimEnd() : between;
    plain += `${trimmed}${isRaw ? '{%' : before} ${name} ${isRaw ? after : '%}'}`;
    from = index + tag.length;
    if (!isRaw && after === '-%}') from += /^\s*/.exec(source.slice(from))![0].length;
    isRaw = !isRaw;
  }
  return plain + source.slice(from);
}

/** A Liquid template with strict variables: unknown filters and tags are refused, files cannot be read, work is bounded. */
export class Template {
  readonly #plain: PlainRendering | null;
  #parsed: Parsed[] | null = null;

  /** @throws TemplateParseError */
  constructor(readonly source: string) {
    this.#plain = source === DEFAULT_TEMPLATE ? defaultRendering(outputText) : plainRendering(source, outputText);
    if (!this.#plain || source.length > MAX_TEMPLATE_LENGTH) this.#parse();
  }

  /** @throws TemplateParseError; never for a template with a plain rendering and no more than MAX_TEMPLATE_LENGTH characters */
  #parse(): Parsed[] {
    try {
      this.#parsed ??= liquidEngine().parse(withPlainRaw(this.source));
      return this.#parsed;
    } catch (error) {
      throw new TemplateParseError(reasonOf(error));
    }
  }

  /** @throws TemplateRenderError, for instance for a variable that the scope lacks */
  render(scope: DocumentScope | SearchScope): string {
    const plain = this.#plain?.(scope) ?? null;
    if (plain !== null && plain.length <= MAX_RENDERED_LENGTH) return plain;
    const parsed = this.#parse();
    for (let since: number | null = null; ; ) {
      try {
        return liquidEngine().renderSync(parsed, scope);
      } catch (error) {
        const spent = since === null ? 0 : cpuTime() - since;
        if (!isOutOfTime(error) || spent >= MAX_RENDERING_MS) throw new TemplateRenderError(reasonOf(error));
        since ??= cpuTime();
      }
    }
  }
}

/** The library measures wall time: on a busy machine a rendering may be out of time without having begun. */
function isOutOfTime(error: unknown): boolean {
  return error instanceof Error && /^template render limit exceeded/.test(error.message);
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.split('\n')[0]! : String(error);
}

/** The variables of a document: its top-level members except `_vectors`, in their order. */
export function documentScope(doc: Record<string, unknown>, isSearchable: (name: string) => boolean): DocumentScope {
  const shown = Object.hasOwn(doc, '_vectors') ? withoutVectors(doc) : doc;
  return {
    doc: shown,
    // Computed on demand, because few templates use them.
    get fields() {
      return Object.entries(shown).map(([name, value]) => ({ name, value, is_searchable: isSearchable(name) }));
    },
  };
}

function withoutVectors({ _vectors, ...shown }: Record<string, unknown>): Record<string, unknown> {
  return shown;
}

/** A prefix of at most `bytes` bytes, cut between characters; 0: the whole text. */
export function cutText(text: string, bytes: number): string {
  if (bytes === 0 || text.length * 3 <= bytes) return text;
  const encoded = Buffer.from(text);
  if (encoded.length <= bytes) return text;
  let end = bytes;
  while (((encoded[end] as number) & 0xc0) === 0x80) end--;
  return encoded.toString('utf8', 0, end);
}
