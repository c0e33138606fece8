import { Writable } from 'node:stream';
import type { FastifyBaseLogger } from 'fastify';
import pino from 'pino';
import type { Options } from './options.js';

const LEVELS = { OFF: 'silent', ERROR: 'error', WARN: 'warn', INFO: 'info', DEBUG: 'debug', TRACE: 'trace' } as const;

/** The log of the process, on standard error: JSON, one object a line, or lines for people. */
export function createLog({ logLevel, experimentalLogsMode }: Options): FastifyBaseLogger {
  const options = { level: LEVELS[logLevel], base: null, timestamp: pino.stdTimeFunctions.isoTime };
  return pino(options, experimentalLogsMode === 'JSON' ? process.stderr : new Writable({ write: writeLine }));
}

function writeLine(chunk: Buffer, _encoding: string, done: () => void): void {
  process.stderr.write(readable(chunk.toString()));
  done();
}

/** `time LEVEL message name=value …`; the stack of an error on the lines below. */
export function readable(line: string): string {
  const { time, level, msg, err, reqId, ...others } = JSON.parse(line);
  const facts = Object.entries({ ...(reqId ? { request: reqId } : {}), ...others }).map(
    ([name, value]) => ` ${name}=${JSON.stringify(value)}`,
  );
  const stack = err ? `\n  ${String(err.stack ?? err.message).replaceAll('\n', '\n  ')}` : '';
  return `${time} ${pino.levels.labels[level]?.toUpperCase().padEnd(5)} ${msg ?? ''}${facts.join('')}${stack}\n`;
}
