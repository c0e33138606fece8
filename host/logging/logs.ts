import type { FastifyBaseLogger } from 'fastify';
import pino from 'pino';
import type { Options } from '../options/launch.js';
import { readable } from './lines.js';
import { type LogLevel, type LogTarget, mostVerbose, passes } from './target.js';

export type LineFormat = 'human' | 'json';

/** A destination of log lines besides the process log. */
export interface LogStream {
  target: LogTarget;
  format: LineFormat;
  write(line: string): void;
}

const MODULE = /"module":"(\w+)"/;

/**
 * The process log, whose level can be changed while it runs, and at most one stream to a client. Each part of the server has a
 * logger of its own, which targets can select by its module name.
 */
export class Logs {
  #target: LogTarget;
  #stream: LogStream | null = null;
  readonly #root: pino.Logger;
  readonly #modules: pino.Logger[] = [];

  /** @param write receives the lines of the process log */
  constructor(
    level: LogLevel,
    readonly format: LineFormat,
    readonly write: (line: string) => void,
  ) {
    this.#target = { base: level, modules: new Map() };
    const options = { level: mostVerbose([this.#target]), base: null, timestamp: pino.stdTimeFunctions.isoTime };
    const destination = {
      // pino sets `lastLevel` on destinations that declare this.
      [Symbol.for('pino.metadata')]: true,
      lastLevel: 0,
      write: (line: string) => this.#take(line, destination.lastLevel),
    };
    this.#root = pino(options, destination);
  }

  /** The process log as configured at launch, on standard error. */
  static ofProcess({ logLevel, experimentalLogsMode }: Options): Logs {
    const format = experimentalLogsMode === 'JSON' ? 'json' : 'human';
    return new Logs(logLevel.toLowerCase() as LogLevel, format, (line) => process.stderr.write(line));
  }

  static silent(): Logs {
    return new Logs('off', 'human', () => {});
  }

  /** The logger of a part of the server. */
  module(name: string): FastifyBaseLogger {
    const logger = this.#root.child({ module: name });
    this.#modules.push(logger);
    return logger;
  }

  /** Whether any destination takes lines of this level; to be asked before building a line that is expensive. */
  isLevelEnabled(level: Exclude<LogLevel, 'off'>): boolean {
    return this.#root.isLevelEnabled(level);
  }

  /** Changes what the process log contains. */
  set target(target: LogTarget) {
    this.#target = target;
    this.#adjust();
  }

  /** The open stream, or null. */
  get stream(): LogStream | null {
    return this.#stream;
  }

  set stream(stream: LogStream | null) {
    this.#stream = stream;
    this.#adjust();
  }

  #adjust(): void {
    const level = mostVerbose([this.#target, ...(this.#stream ? [this.#stream.target] : [])]);
    for (const logger of [this.#root, ...this.#modules]) logger.level = level;
  }

  #take(line: string, severity: number): void {
    const module = MODULE.exec(line)?.[1] ?? null;
    const stream = this.#stream;
    if (passes(this.#target, severity, module)) this.write(this.format === 'json' ? line : readable(line));
    if (stream && passes(stream.target, severity, module)) stream.write(stream.format === 'json' ? line : readable(line));
  }
}
