import { type ApiError, apiError, errorAs } from '../errors.js';
import { isOwn, type OwnName } from '../own.js';
import { JsonNumber, type JsonObject, JsonSyntaxError, type JsonValue, parseJson, plainValue } from './json.js';
import { suggestion } from './suggest.js';

/**
 * Validates JSON objects and query strings by tables of members. Members are checked in the order sent, and the first error is
 * reported; missing members are checked last, in the order of the table.
 */

/** JSON Schema of the values of a kind, for the OpenAPI description. */
export type Schema = Readonly<Record<string, unknown>>;

/** A type of member: parses it from JSON and from the text of a query string. */
export interface Kind<T> {
  /** Absent: any JSON. */
  schema?: Schema;
  json(value: JsonValue, at: Place): T;
  text(text: string, at: Place): T;
}

export interface Member<T> {
  kind: Kind<T>;
  /** Error code for a wrong type or value. */
  code: string;
  /** Value of an absent member; without it the member is required. */
  initial?: T;
  /** Error code when a required member is absent; default: that of the enclosing object. */
  missing?: string;
}

export type MemberTable<T> = { readonly [K in keyof T]-?: Member<T[K]> };

/** The object that a table of members describes. */
export type ValuesOf<Table> = { [K in keyof Table]: Table[K] extends Member<infer T> ? T : never };

export interface ObjectRules {
  /** JSON path of the object: '' for a body, '.hybrid' for a member. */
  path: string;
  /** Error code for unknown members, and for absent required ones. */
  code: string;
  /** Unknown members are ignored. */
  lenient?: boolean;
}

const BODY: ObjectRules = { path: '', code: 'bad_request' };
/** Maximum number of characters of a received value that a message quotes. */
const SHOWN_VALUE = 120;

/** Path of a value for messages, and the code of its errors. */
export class Place {
  constructor(
    readonly path: string,
    readonly code: string,
    readonly inQuery = false,
  ) {}

  item(position: number): Place {
    return new Place(`${this.path}[${position}]`, this.code, this.inQuery);
  }

  member(name: string): Place {
    return new Place(`${this.path}.${name}`, this.code, this.inQuery);
  }

  /** @param expected what is permitted, for example 'a non-negative integer' */
  refuse(expected: string, received: JsonValue): never {
    throw this.error(`must be ${expected}, but is ${this.inQuery ? shownText(received) : shown(received)}`);
  }

  error(problem: string): ApiError {
    return errorAs(this.code, 'problem', {
      place: this.inQuery ? `Query parameter \`${this.path}\`` : `\`${this.path}\``,
      problem,
    });
  }
}

/** A kind of values that only bodies have. */
export function fromJson<T>(schema: Schema, json: Kind<T>['json']): Kind<T> {
  return { schema, json, text: (text, at) => at.refuse('given in the body', text) };
}

/** A kind of values that only query strings have. */
export function fromText<T>(schema: Schema, text: Kind<T>['text']): Kind<T> {
  return { schema, text, json: (value, at) => at.refuse('given in the query string', value) };
}

/** An optional member: null and absence both give null. */
export function optional<T>(kind: Kind<T>, code: string): Member<T | null> {
  return { kind: nullable(kind), code, initial: null };
}

/** A kind that also permits null. */
export function nullable<T>(kind: Kind<T>): Kind<T | null> {
  return {
    json: (value, at) => (value === null ? null : kind.json(value, at)),
    text: kind.text,
    schema: nullableSchema(kind.schema ?? {}),
  };
}

function nullableSchema(schema: Schema): Schema {
  const { type, enum: names } = schema;
  if (type === undefined) return schema;
  return { ...schema, type: [type, 'null'].flat(), ...(Array.isArray(names) ? { enum: [...names, null] } : {}) };
}

/** JSON Schema of an object with these members. */
export function objectSchema<T>(table: MemberTable<T>): Schema {
  const members = Object.entries<Member<unknown>>(table);
  const required = members.filter(([, member]) => !('initial' in member)).map(([name]) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(members.map(([name, member]) => [name, memberSchema(member)])),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
}

/** JSON Schema of a member, with its default and the code of its errors. */
export function memberSchema({ kind, code, initial }: Member<unknown>): Schema {
  const shownDefault = typeof initial === 'object' || initial === undefined ? {} : { default: initial };
  return { ...kind.schema, ...shownDefault, 'x-error-code': code };
}

/** A member with a default, which does not permit null. */
export function defaulted<T>(kind: Kind<T>, code: string, initial: NoInfer<T>): Member<T> & { initial: T } {
  return { kind, code, initial };
}

/** A member of a change: null resets it, absence keeps it. */
export function changed<T>(kind: Kind<T>, code: string): Member<T | null | undefined> {
  return { kind: nullable(kind), code, initial: undefined };
}

/** A parameter without a default. */
export function absent<T>(kind: Kind<T>, code: string): Member<T | undefined> {
  return { kind, code, initial: undefined };
}

export function required<T>(kind: Kind<T>, code: string, missing?: string): Member<T> {
  return missing === undefined ? { kind, code } : { kind, code, missing };
}

/** A member that cannot be sent. @param problem why; by default, that the resource has it but it cannot be changed */
export function immutable(code: string, problem = 'cannot be changed'): Member<undefined> {
  const refuse = (_: unknown, at: Place): never => {
    throw at.error(problem);
  };
  return absent({ json: refuse, text: refuse, schema: { readOnly: true } }, code);
}

/** Parses a JSON object. @throws ApiError for the first invalid member */
export function readObject<T>(table: MemberTable<T>, object: JsonObject, rules: ObjectRules = BODY): T {
  const { defaults, required } = templateOf(table);
  const values = { ...defaults };
  for (const [name, value] of object) {
    if (isOwn(table, name)) {
      const { kind, code } = memberOf(table, name);
      values[name] = kind.json(value, new Place(`${rules.path}.${name}`, code));
    } else if (!rules.lenient) throw unknownMember('field', name, rules, Object.keys(table));
  }
  return complete(values, required, rules);
}

/** Parses query parameters; the last of repeated ones counts. @throws ApiError for the first invalid one */
export function readParameters<T>(table: MemberTable<T>, parameters: readonly (readonly [string, string])[]): T {
  const { defaults, required } = templateOf(table);
  const values = { ...defaults };
  for (const [name, text] of new Map(parameters)) {
    if (!isOwn(table, name)) throw unknownMember('query parameter', name, BODY, Object.keys(table));
    const { kind, code } = memberOf(table, name);
    values[name] = kind.text(text, new Place(name, code, true));
  }
  return complete(values, required, BODY);
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes a part of a body. @throws ApiError malformed_payload */
export function readUtf8(decode: () => string): string {
  try {
    return decode();
  } catch {
    throw apiError('malformed_payload', 'utf8');
  }
}

/** Parses the JSON of a body. @throws ApiError missing_payload, malformed_payload */
export function readJsonBody(bytes: Uint8Array): JsonValue {
  if (bytes.length === 0) throw apiError('missing_payload', 'json');
  const text = readUtf8(() => decoder.decode(bytes));
  return readJson(() => parseJson(text));
}

/** Reads JSON of a body. @throws ApiError malformed_payload */
export function readJson<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw apiError('malformed_payload', 'json', { reason: error.message });
    throw error;
  }
}

/** Parses the JSON object of a body. @throws ApiError, also bad_request when the body is another kind of value */
export function readObjectBody(bytes: Uint8Array): JsonObject {
  const value = readJsonBody(bytes);
  if (!(value instanceof Map)) throw apiError('bad_request', 'notAnObject', { found: shown(value) });
  return value;
}

/** A request as sent: in a body, or as decoded query parameters. */
export interface SentRequest {
  body?: Uint8Array | undefined;
  query?: readonly (readonly [string, string])[] | undefined;
}

/** Parses a request. @throws ApiError for the first invalid member, in the order sent */
export function readRequest<T>(table: MemberTable<T>, { body, query }: SentRequest): T {
  return body ? readObject(table, readObjectBody(body)) : readParameters(table, query ?? []);
}

/** A value with its type, for messages: `the string "a"`. */
export function shown(value: JsonValue): string {
  if (value === null) return 'null';
  if (value === true || value === false) return `the boolean ${value}`;
  const kind =
    typeof value === 'string' ? 'string' : value instanceof JsonNumber ? 'number' : Array.isArray(value) ? 'array' : 'object';
  const text = value instanceof JsonNumber ? value.text : JSON.stringify(plainValue(value));
  return `the ${kind} ${text.length > SHOWN_VALUE ? `${text.slice(0, SHOWN_VALUE)}…` : text}`;
}

/** Names in backticks, separated by commas. */
export function listed(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}

function shownText(value: JsonValue): string {
  return value === '' ? 'empty' : `\`${String(value).slice(0, SHOWN_VALUE)}\``;
}

function memberOf(table: object, name: OwnName): Member<unknown> {
  return (table as Record<OwnName, Member<unknown>>)[name]!;
}

function unknownMember(what: string, name: string, rules: ObjectRules, accepted: readonly string[]): ApiError {
  const where = rules.path === '' ? '' : ` inside \`${rules.path}\``;
  return errorAs(rules.code, 'unknownMember', {
    what,
    name,
    where,
    accepted: listed(accepted),
    hint: suggestion(name, accepted),
  });
}

/** Checks that required members are there: they have no default. */
function complete<T>(values: Record<OwnName, unknown>, required: readonly Required[], rules: ObjectRules): T {
  for (const [name, missing] of required) {
    if (values[name] === undefined) throw errorAs(missing ?? rules.code, 'missingMember', { path: rules.path, name });
  }
  return values as T;
}

/** A required member, and its error code when it is missing. */
type Required = [name: OwnName, missing: string | undefined];

/** The object that results are copied from. */
interface ObjectTemplate {
  defaults: Record<OwnName, unknown>;
  required: Required[];
}

const templates = new WeakMap<object, ObjectTemplate>();

function templateOf<T>(table: MemberTable<T>): ObjectTemplate {
  const known = templates.get(table);
  if (known) return known;
  const members = Object.entries<Member<unknown>>(table) as [OwnName, Member<unknown>][];
  // V8 makes objects with many members added by name slow, and so their copies; a parsed object is fast.
  const defaults = JSON.parse(JSON.stringify(Object.fromEntries(members.map(([name]) => [name, null]))));
  for (const [name, { initial }] of members) defaults[name] = initial;
  const required = members.filter(([, member]) => !('initial' in member)).map(([name, { missing }]): Required => [name, missing]);
  const template = { defaults, required };
  templates.set(table, template);
  return template;
}
