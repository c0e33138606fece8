import pino from 'pino';

/**
 * Formats a JSON log line for people: `time LEVEL module: message name=value …`, with the stack of an error on the lines below.
 */
export function readable(line: string): string {
  const { time, level, msg, err, reqId, module, ...others } = JSON.parse(line);
  const facts = Object.entries({ ...(reqId ? { request: reqId } : {}), ...others }).map(
    ([name, value]) => ` ${name}=${JSON.stringify(value)}`,
  );
  const stack = err ? `\n  ${String(err.stack ?? err.message).replaceAll('\n', '\n  ')}` : '';
  const source = module ? `${module}: ` : '';
  return `${time} ${pino.levels.labels[level]?.toUpperCase().padEnd(5)} ${source}${msg ?? ''}${facts.join('')}${stack}\n`;
}
