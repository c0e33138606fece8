/** Why a chat cannot continue. It is reported in the stream, because the status has already been sent. */
export class ChatFailure extends Error {
  constructor(
    message: string,
    readonly type: string,
    readonly code: string | null = null,
    readonly param: string | null = null,
  ) {
    super(message);
  }

  /** The error in an answer of a model: `{"error": {message, type, code, param}}`, or these members at the root. */
  static ofModel(answer: unknown, otherwise: string): ChatFailure {
    const outer = members(answer);
    const { message, type, code, param } = members(outer.error ?? outer);
    return new ChatFailure(text(message) ?? text(outer.error) ?? otherwise, text(type) ?? 'model_error', text(code), text(param));
  }
}

function members(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : null;
}
