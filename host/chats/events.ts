/** Longest event of a stream, in characters. */
const MAX_EVENT_LENGTH = 4 << 20;
const LINE_END = /\r\n|\n|\r(?!$)/;

/** The `data` of each server-sent event of a body. @throws Error for an event longer than {@link MAX_EVENT_LENGTH} */
export async function* eventData(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  let data: string[] = [];
  let length = 0;
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(LINE_END);
    rest = lines.pop()!;
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) yield data.join('\n');
        data = [];
        length = 0;
      } else if (line.startsWith('data:')) {
        data.push(line.slice(line[5] === ' ' ? 6 : 5));
        length += line.length;
      }
    }
    if (rest.length + length > MAX_EVENT_LENGTH) throw new Error('an event of its stream is too long');
  }
  if (rest.startsWith('data:')) data.push(rest.slice(5).trim());
  if (data.length > 0) yield data.join('\n');
}

export function eventOf(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

/** The last event of every stream. */
export const DONE = '[DONE]';
