import pino from 'pino';

/** From quietest to most verbose. */
const LEVELS = ['off', 'error', 'warn', 'info', 'debug', 'trace'] as const;
export type LogLevel = (typeof LEVELS)[number];

/** Which lines a destination takes: a level for each named module, and one for all others. */
export interface LogTarget {
  base: LogLevel;
  modules: ReadonlyMap<string, LogLevel>;
}

/**
 * Parses `info`, `tasks=debug,http=warn`, or a mixture; null when the text is malformed. If only modules are named, all others
 * are off.
 */
export function parseTarget(text: string): LogTarget | null {
  let base: LogLevel = 'off';
  const modules = new Map<string, LogLevel>();
  for (const item of text.split(',')) {
    const [left, right, ...rest] = item.split('=').map((part) => part.trim());
    const level = LEVELS.find((name) => name === (right ?? left)!.toLowerCase());
    if (level === undefined || rest.length > 0 || left === '') return null;
    if (right === undefined) base = level;
    else modules.set(left!, level);
  }
  return { base, modules };
}

/** Whether a line is for the target. @param severity in pino's numbers: 30 is `info` */
export function passes({ base, modules }: LogTarget, severity: number, module: string | null): boolean {
  const level = (module === null ? undefined : modules.get(module)) ?? base;
  return level !== 'off' && severity >= pino.levels.values[level]!;
}

/** The level at which a logger must run so that no target misses lines. */
export function mostVerbose(targets: LogTarget[]): pino.LevelWithSilent {
  const levels = targets.flatMap(({ base, modules }) => [base, ...modules.values()]);
  const level = LEVELS[Math.max(...levels.map((name) => LEVELS.indexOf(name)))]!;
  return level === 'off' ? 'silent' : level;
}
