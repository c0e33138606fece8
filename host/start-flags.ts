import { spawn } from 'node:child_process';

/**
 * What V8 must know before it makes the heap of the first thread, and takes from nobody later: megabytes for young objects of the host,
 * and no major collection (V8's mark-compact) in the midst of searches to make a small heap smaller. The rest stands in `runtime-flags.ts`.
 */
export const START_FLAGS: readonly string[] = ['--max-semi-space-size=4', '--no-memory-reducer'];

/** What service managers and terminals end a process with. */
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** Those of the flags that Node.js was started without; another value is somebody's choice and no reason to start again. */
export function missingStartFlags(): string[] {
  const given = [...process.execArgv, ...(process.env.NODE_OPTIONS ?? '').split(/\s+/)].map(nameOf);
  return START_FLAGS.filter((flag) => !given.includes(nameOf(flag)));
}

/** `--max-semi-space-size` of `--max_semi_space_size=4`. */
function nameOf(flag: string): string {
  return flag.split('=', 1)[0]!.replaceAll('_', '-');
}

/**
 * Runs this program in a process of its own with the flags. This process hands on what would end it, ends as that one does, and takes it
 * along when it is killed: to whoever started it there is one process.
 */
export function restartWith(flags: readonly string[]): void {
  const child = spawn(process.execPath, [...process.execArgv, ...flags, ...process.argv.slice(1)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    // a terminal interrupts all processes of a group, and a second interrupt means at once
    detached: true,
  });
  for (const signal of SIGNALS) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/** In a process that {@link restartWith} has made: ends when the one that made it is gone. */
export function endWithStarter(): void {
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  process.channel?.unref();
}
