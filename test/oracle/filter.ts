import type { FilterableRule } from '../../bindings/index-types.js';
import type { IndexedDocument } from './corpus.js';
import { distanceMetres, fieldValues, normalizeFacet, pointOf } from './facet-values.js';
import { compareBytes, covers, isBlank, matchesPattern, Refusal, sortedByBytes } from './text.js';

/** Filters over documents as they are, without any index. GeoJSON shapes and vectors are not simulated. */

export type Filter = (document: IndexedDocument) => boolean;

export interface FilterContext {
  filterable: readonly FilterableRule[];
  /** Paths some document of the index has ever had. */
  known: ReadonlySet<string>;
}

const refused = (): Refusal => new Refusal('invalid_search_filter');
const everything: Filter = () => true;
const nothing: Filter = () => false;

/** The filter parameter of a search: a text, or an array whose inner arrays are alternatives. */
export function compileFilter(filter: unknown, context: FilterContext): Filter {
  if (filter === null || filter === undefined) return everything;
  if (typeof filter === 'string') return isBlank(filter) ? everything : new Compiler(filter, context).compile();
  if (!Array.isArray(filter)) throw refused();
  const parts = filter.map((item) => {
    if (!Array.isArray(item)) return compileFilter(item, context);
    const alternatives = item.filter((text) => !isBlank(String(text))).map((text) => compileFilter(text, context));
    return alternatives.length === 0 ? everything : (d: IndexedDocument) => alternatives.some((f) => f(d));
  });
  return (document) => parts.every((f) => f(document));
}

/** Which filters a field has switched on: the first rule that matches decides. */
export function filterFeatures(rules: readonly FilterableRule[], path: string): { equality: boolean; comparison: boolean } {
  for (const rule of rules) {
    if (typeof rule === 'string') {
      if (covers(rule, path)) return { equality: true, comparison: true };
    } else if (rule.attributePatterns.some((pattern) => matchesPattern(pattern, path))) return rule.features.filter;
  }
  return { equality: false, comparison: false };
}

const COMPARISONS: Record<string, (order: number) => boolean> = {
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
};
const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

function numberOf(text: string): number | null {
  return DECIMAL.test(text) && Number.isFinite(Number(text)) ? Number(text) : null;
}

const ESCAPES: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

class Compiler {
  #rest: string;

  constructor(
    text: string,
    private readonly context: FilterContext,
  ) {
    this.#rest = text;
  }

  compile(): Filter {
    const filter = this.#or();
    this.#blanks();
    if (this.#rest !== '') throw refused();
    return filter;
  }

  #blanks(): void {
    this.#rest = this.#rest.replace(/^\p{White_Space}+/u, '');
  }

  /** Consumes the match of a pattern after white space. */
  #take(pattern: RegExp): RegExpExecArray | null {
    this.#blanks();
    const match = pattern.exec(this.#rest);
    if (match) this.#rest = this.#rest.slice(match[0].length);
    return match;
  }

  #or(): Filter {
    const parts = [this.#and()];
    while (this.#take(/^OR(?![\p{L}\p{N}_.-])/u)) parts.push(this.#and());
    return (document) => parts.some((f) => f(document));
  }

  #and(): Filter {
    const parts = [this.#not()];
    while (this.#take(/^AND(?![\p{L}\p{N}_.-])/u)) parts.push(this.#not());
    return (document) => parts.every((f) => f(document));
  }

  #not(): Filter {
    if (this.#take(/^NOT(?![\p{L}\p{N}_.-])/u)) {
      const inner = this.#not();
      return (document) => !inner(document);
    }
    if (!this.#take(/^\(/)) return this.#condition();
    const inner = this.#or();
    if (!this.#take(/^\)/)) throw refused();
    return inner;
  }

  #value(): string {
    const quoted = this.#take(/^(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")/s);
    if (quoted) return (quoted[1] ?? quoted[2] ?? '').replace(/\\(.)/gs, (_, c: string) => ESCAPES[c] ?? c);
    const bare = this.#take(/^[\p{L}\p{N}_.-]+/u);
    if (!bare) throw refused();
    return bare[0];
  }

  #numbers(): number[] {
    const body = this.#take(/^\(([^()]*)\)/);
    if (!body) throw refused();
    return (body[1] as string).split(/[[\],\s]+/).flatMap((part) => (part === '' ? [] : [Number(part)]));
  }

  #condition(): Filter {
    if (this.#take(/^_geoRadius(?=\()/)) return this.#geo(withinRadius(this.#numbers()));
    if (this.#take(/^_geoBoundingBox(?=\()/)) return this.#geo(withinBox(this.#numbers()));
    const field = this.#value();
    const presence = this.#take(
      /^(NOT\s+EXISTS|EXISTS|IS\s+NOT\s+NULL|IS\s+NULL|IS\s+NOT\s+EMPTY|IS\s+EMPTY)(?![\p{L}\p{N}_.-])/u,
    );
    if (presence) return this.#presence(field, presence[0]);
    const negated = this.#take(/^NOT(?=\s+(?:IN|CONTAINS|STARTS WITH)(?![\p{L}\p{N}_.-]))/u) !== null;
    const operator = this.#take(
      /^(!=|>=|<=|=|>|<|IN(?![\p{L}\p{N}_.-])|CONTAINS(?![\p{L}\p{N}_.-])|STARTS WITH(?![\p{L}\p{N}_.-]))/u,
    );
    const filter = operator ? this.#operation(field, operator[0]) : this.#range(field);
    return negated ? (document) => !filter(document) : filter;
  }

  #operation(field: string, operator: string): Filter {
    switch (operator) {
      case 'IN': {
        const values = this.#list();
        const alternatives = values.map((value) => this.#equals(field, value));
        return this.#allowed(field, 'equality', (document) => alternatives.some((f) => f(document)));
      }
      case '=':
        return this.#allowed(field, 'equality', this.#equals(field, this.#value()));
      case '!=': {
        const equal = this.#equals(field, this.#value());
        return this.#allowed(field, 'equality', (document) => !equal(document));
      }
      case 'CONTAINS':
      case 'STARTS WITH': {
        const text = normalizeFacet(this.#value());
        if (operator === 'STARTS WITH' && text === '') return this.#presence(field, 'EXISTS');
        const test = (s: string): boolean => (operator === 'CONTAINS' ? s.includes(text) : s.startsWith(text));
        return this.#allowed(field, 'either', (document) => fieldValues(document.json, field).strings.some(test));
      }
      default: {
        const value = this.#value();
        const accepts = COMPARISONS[operator] as (order: number) => boolean;
        return this.#allowed(field, 'comparison', this.#compared(field, [{ value, accepts }]));
      }
    }
  }

  #range(field: string): Filter {
    const low = this.#value();
    if (!this.#take(/^TO(?=\s)/)) throw refused();
    const high = this.#value();
    const bounds = [
      { value: low, accepts: (order: number) => order >= 0 },
      { value: high, accepts: (order: number) => order <= 0 },
    ];
    return this.#allowed(field, 'comparison', this.#compared(field, bounds));
  }

  #list(): string[] {
    if (!this.#take(/^\[/)) throw refused();
    const values: string[] = [];
    while (!this.#take(/^\]/)) {
      values.push(this.#value());
      if (!this.#take(/^,/) && !/^\s*\]/.test(this.#rest)) throw refused();
    }
    return values;
  }

  #equals(field: string, value: string): Filter {
    const text = normalizeFacet(value);
    const number = numberOf(value);
    return ({ json }) => {
      const { strings, numbers } = fieldValues(json, field);
      return (text !== '' && strings.includes(text)) || (number !== null && numbers.includes(number));
    };
  }

  /** Numbers against numbers where every bound is one, and texts against texts. */
  #compared(field: string, bounds: { value: string; accepts: (order: number) => boolean }[]): Filter {
    const texts = bounds.map(({ value }) => normalizeFacet(value));
    const limits = bounds.map(({ value }) => numberOf(value));
    return ({ json }) => {
      const { strings, numbers } = fieldValues(json, field);
      const byNumber = numbers.some((n) => bounds.every((b, k) => limits[k] !== null && b.accepts(n - (limits[k] as number))));
      return byNumber || strings.some((s) => bounds.every((b, k) => b.accepts(compareBytes(s, texts[k] as string))));
    };
  }

  #presence(field: string, words: string): Filter {
    const test: Filter = ({ json }) => {
      const values = fieldValues(json, field);
      if (words.endsWith('EXISTS')) return values.exists;
      return words.endsWith('NULL') ? values.isNull : values.isEmpty;
    };
    const allowed = this.#allowed(field, 'either', test);
    return /NOT/.test(words) ? (document) => !allowed(document) : allowed;
  }

  /** Checks a filter against the settings; a field that no document ever had selects nothing. */
  #allowed(field: string, needs: 'equality' | 'comparison' | 'either', filter: Filter): Filter {
    const features = filterFeatures(this.context.filterable, field);
    const allowed = needs === 'either' ? features.equality || features.comparison : features[needs];
    if (!allowed) throw refused();
    return this.context.known.has(field) ? filter : nothing;
  }

  #geo(filter: Filter): Filter {
    if (!this.context.filterable.includes('_geo')) throw refused();
    return filter;
  }
}

function withinRadius([lat = 0, lng = 0, metres = 0]: number[]): Filter {
  return ({ json }) => {
    const point = pointOf(json);
    return point !== null && distanceMetres({ lat, lng }, point) <= metres;
  };
}

/** Corners: top right, bottom left. A box whose right is less than its left goes round the back of the earth. */
function withinBox([top = 0, right = 0, bottom = 0, left = 0]: number[]): Filter {
  return ({ json }) => {
    const point = pointOf(json);
    if (point === null || point.lat > top || point.lat < bottom) return false;
    return right < left ? point.lng >= left || point.lng <= right : point.lng >= left && point.lng <= right;
  };
}

/** Filterable paths among the known ones, in byte order. */
export function filterablePaths({ filterable, known }: FilterContext): string[] {
  return sortedByBytes(known).filter((path) => {
    const { equality, comparison } = filterFeatures(filterable, path);
    return equality || comparison;
  });
}
