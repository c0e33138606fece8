import pino from 'pino';

/** From the quietest to the one that tells most. */
const LEVELS = ['off', 'error', 'warn', 'info', 'debug', 'trace'] as const;
export type LogLevel = (typeof LEVELS)[number];

/** What of the log goes somewhere: a level for each module that is named, and one for all others. */
export interface LogTarget {
  base: LogLevel;
  modules: ReadonlyMap<string, LogLevel>;
}

/** Reads `info`, or `tasks=debug,http=warn`, or both mixed; null when the text is no such list. Modules that are not named say nothing then. */
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

/** Whether a line goes to the target. @param severity as pino counts: 30 is `info` */
export function passes({ base, modules }: LogTarget, severity: number, module: string | null): boolean {
  const level = (module === null ? undefined : modules.get(module)) ?? base;
  return level !== 'off' && severity >= pino.levels.values[level]!;
}

/** The level that a logger needs so that nothing is lost that one of the targets takes. */
export function loudest(targets: LogTarget[]): pino.LevelWithSilent {
  const levels = targets.flatMap(({ base, modules }) => [base, ...modules.values()]);
  const level = LEVELS[Math.max(...levels.map((name) => LEVELS.indexOf(name)))]!;
  return level === 'off' ? 'silent' : level;
}
