import { type ApiError, apiError } from '../../bindings/errors.js';
import { own } from '../../bindings/own.js';
import { closestName } from '../../bindings/query/suggest.js';

/** Placeholder that repeats the array item before it, once for each further text. */
const REPEAT = '{{..}}';
export const EMBEDDING = '{{embedding}}';
export const TEXT = '{{text}}';
export const FRAGMENT = '{{fragment}}';

/** Members and array positions from the root of a JSON value. */
type JsonPath = readonly (string | number)[];

interface Shape {
  /** Path of the placeholder, relative to the repeated item if there is one, else to the root. */
  placeholder: JsonPath;
  /** Path of the array of repeated items; null: one value per request. */
  repeated: JsonPath | null;
}

function shown(path: JsonPath): string {
  return path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('');
}

/** The paths of the strings that satisfy a test. */
function* places(value: unknown, is: (text: string) => boolean, path: JsonPath = []): Generator<JsonPath> {
  if (typeof value === 'string') {
    if (is(value)) yield path;
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* places(item, is, [...path, index]);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) yield* places(member, is, [...path, name]);
  }
}

function kindOf(value: unknown): string {
  return value === null
    ? 'null'
    : Array.isArray(value)
      ? 'an array'
      : typeof value === 'object'
        ? 'an object'
        : `a ${typeof value}`;
}

/**
 * The template of a request or response of a REST embedder: JSON with one placeholder. The array item that contains it may be
 * repeated for several texts.
 */
export class JsonTemplate {
  readonly #shape: Shape;

  /**
   * @param where path of the template in messages, e.g. `.embedders.default.request`
   * @param placeholder text that stands for what is sent or received
   * @throws ApiError vector_embedding_error
   */
  constructor(
    readonly value: unknown,
    readonly where: string,
    readonly placeholder: string,
  ) {
    this.#shape = shapeOf(value, where, placeholder);
  }

  /** Whether one request carries several texts. */
  get repeats(): boolean {
    return this.#shape.repeated !== null;
  }

  /** The JSON with values in place of the placeholder: exactly one value unless the template repeats. */
  fill(values: readonly unknown[]): unknown {
    const { placeholder, repeated } = this.#shape;
    if (repeated === null) return withValue(this.value, placeholder, values[0]);
    const [item] = at(this.value, repeated) as unknown[];
    return withValue(
      this.value,
      repeated,
      values.map((value) => withValue(item, placeholder, value)),
    );
  }

  /** The values at the placeholder in an answer, one per text. @throws ApiError vector_embedding_error */
  extract(answer: unknown): unknown[] {
    const { placeholder, repeated } = this.#shape;
    if (repeated === null) return [this.#walk(answer, placeholder, [])];
    const items = this.#walk(answer, repeated, []);
    if (!Array.isArray(items)) throw this.#mismatch(repeated, 'an array', items);
    return items.map((item, index) => this.#walk(item, placeholder, [...repeated, index]));
  }

  #walk(root: unknown, path: JsonPath, before: JsonPath): unknown {
    let value = root;
    for (const [depth, step] of path.entries()) {
      const here = [...before, ...path.slice(0, depth)];
      if (typeof step === 'number') {
        if (!Array.isArray(value)) throw this.#mismatch(here, 'an array', value);
        if (step >= value.length)
          throw apiError('vector_embedding_error', 'answerItems', { count: value.length, path: shown(here), wanted: step + 1 });
        value = value[step];
      } else {
        if (typeof value !== 'object' || value === null || Array.isArray(value)) throw this.#mismatch(here, 'an object', value);
        if (!Object.hasOwn(value, step)) {
          const meant = closestName(step, Object.keys(value));
          const hint = meant === null ? '' : ` It has \`${meant}\`: was that meant?`;
          throw apiError('vector_embedding_error', 'answerMember', { path: shown([...here, step]), place: this.where, hint });
        }
        value = own(value, step);
      }
    }
    return value;
  }

  #mismatch(path: JsonPath, expected: string, received: unknown): ApiError {
    return apiError('vector_embedding_error', 'answerKind', {
      path: shown(path),
      expected,
      place: this.where,
      found: kindOf(received),
    });
  }
}

function shapeOf(value: unknown, where: string, placeholder: string): Shape {
  const found = [...places(value, (text) => text === placeholder)];
  const repeats = [...places(value, (text) => text === REPEAT)];
  const [first, second] = found;
  if (!first) throw apiError('vector_embedding_error', 'noPlaceholder', { place: where, placeholder });
  if (second)
    throw apiError('vector_embedding_error', 'placeholderTwice', {
      place: where,
      placeholder,
      first: shown(first),
      second: shown(second),
    });
  const [repeat, another] = repeats;
  if (another)
    throw apiError('vector_embedding_error', 'repeatTwice', {
      place: where,
      mark: REPEAT,
      first: shown(repeat!),
      second: shown(another),
    });
  if (!repeat) return { placeholder: first, repeated: null };
  const array = repeat.slice(0, -1);
  if (typeof repeat.at(-1) !== 'number')
    throw apiError('vector_embedding_error', 'repeatOutside', { mark: REPEAT, place: where + shown(repeat) });
  if (repeat.at(-1) !== 1)
    throw apiError('vector_embedding_error', 'repeatSecond', { mark: REPEAT, place: where + shown(repeat) });
  if ((at(value, array) as unknown[]).length > 2)
    throw apiError('vector_embedding_error', 'repeatLast', { mark: REPEAT, place: where + shown(array) });
  const inside = first.length > array.length && array.every((step, depth) => step === first[depth]) && first[array.length] === 0;
  if (!inside)
    throw apiError('vector_embedding_error', 'repeatedItem', { mark: REPEAT, place: where + shown(array), placeholder });
  return { placeholder: first.slice(array.length + 1), repeated: array };
}

function at(value: unknown, path: JsonPath): unknown {
  return path.reduce((inner, step) => own(inner as object, String(step)), value);
}

/** A copy with the value at a path replaced. */
function withValue(value: unknown, path: JsonPath, replacement: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return replacement;
  if (Array.isArray(value)) return value.map((item, index) => (index === step ? withValue(item, rest, replacement) : item));
  const entries = Object.entries(value as object);
  return Object.fromEntries(
    entries.map(([name, member]) => [name, name === step ? withValue(member, rest, replacement) : member]),
  );
}

export interface WirePair {
  request: JsonTemplate;
  response: JsonTemplate;
}

/**
 * The request and response templates of a REST embedder; either both repeat or neither does. @throws ApiError
 * vector_embedding_error
 */
export function wirePair(request: unknown, response: unknown, where: string, placeholder: string): WirePair {
  const pair = {
    request: new JsonTemplate(request, `${where}.request`, placeholder),
    response: new JsonTemplate(response, `${where}.response`, EMBEDDING),
  };
  if (pair.request.repeats === pair.response.repeats) return pair;
  const [one, other] = pair.request.repeats ? ['request', 'response'] : ['response', 'request'];
  throw apiError('vector_embedding_error', 'repeatInOne', { place: where, one, other, mark: REPEAT });
}
