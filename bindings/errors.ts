import { PROBLEMS } from './error-table/problems.js';
import { SHARED_MESSAGES } from './error-table/shared.js';
import { ERRORS } from './error-table/table.js';
import { own } from './own.js';

/** An error with a documented code, as reported by routes, searches and tasks. */
export class ApiError extends Error {
  /** @param status of the answer, if it differs from that of the code */
  constructor(
    readonly code: string,
    message: string,
    readonly status?: number,
  ) {
    super(message);
  }
}

/** A request needs more scratch memory than the instance may allocate, or than is left. The instance stays usable. */
export class ScratchExhausted extends ApiError {}

type Errors = typeof ERRORS;
/** Codes with message templates of their own. */
type Code = { [C in keyof Errors]: Errors[C] extends { messages: object } ? C : never }[keyof Errors];
type Messages<C extends Code> = Errors[C] extends { messages: infer M } ? M : never;
type Shared = typeof SHARED_MESSAGES;
type Problems = typeof PROBLEMS;

/** The values that templates can contain. */
type Value = string | number | null | undefined;
/** The names of the values in a template. */
type Values<Template> = Template extends `${string}{${infer Name}}${infer Rest}`
  ? { [K in Name]: Value } & Values<Rest>
  : unknown;
type ValuesOf<Template> = unknown extends Values<Template> ? [] : [values: Values<Template>];

/** Creates an error with a message template of its code. */
export function apiError<C extends Code, M extends keyof Messages<C> & string>(
  code: C,
  message: M,
  ...values: ValuesOf<Messages<C>[M]>
): ApiError {
  return new ApiError(code, messageOf(code, message, ...values));
}

export function messageOf<C extends Code, M extends keyof Messages<C> & string>(
  code: C,
  message: M,
  ...[values]: ValuesOf<Messages<C>[M]>
): string {
  const { messages } = ERRORS[code] as unknown as { messages: Record<string, string> };
  return filled(own(messages, message) as string, values);
}

/**
 * Creates an error with a message template shared by several codes. @param status of the answer, if it differs from that of the
 * code
 */
export function errorAs<M extends keyof Shared>(
  code: string,
  message: M,
  ...[values, status]: [...ValuesOf<Shared[M]>, status?: number | undefined]
): ApiError {
  return new ApiError(code, filled(SHARED_MESSAGES[message], values), status as number | undefined);
}

/** What is wrong with a value, for a message. */
export function problemOf<P extends keyof Problems>(problem: P, ...[values]: ValuesOf<Problems[P]>): string {
  return filled(PROBLEMS[problem], values);
}

function filled(template: string, values: unknown): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => String(own(values as Record<string, unknown>, name)));
}
