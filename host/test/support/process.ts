import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../main.js', import.meta.url));

/** Early versions of Node.js 20 cannot `require` ES modules, so the server must also run without that. */
const AS_IN_EARLY_VERSIONS = process.allowedNodeEnvironmentFlags.has('--experimental-require-module')
  ? ['--no-experimental-require-module']
  : [];

export interface Launched {
  child: ChildProcess;
  /** Resolves when the service listens. */
  url: Promise<string>;
}

export interface ProcessPlace {
  folder: string;
  /** Variables that are added to the environment. */
  env: Record<string, string>;
  /** Number of file descriptors of the process; default: that of this one. */
  descriptors?: number;
  /** Receives the log of the process, in chunks; default: standard error. */
  onLog?: (text: string) => void;
}

/** Starts the server in a process of its own, with a folder. */
export function launchProcess(place: string | ProcessPlace, ...flags: string[]): Launched {
  const { folder, env, onLog, descriptors }: ProcessPlace = typeof place === 'string' ? { folder: place, env: {} } : place;
  const quiet = ['--log-level', 'ERROR', '--no-analytics'];
  const all = ['--db-path', folder, '--http-addr', '127.0.0.1:0', ...quiet, ...flags];
  const command = [process.execPath, ...AS_IN_EARLY_VERSIONS, MAIN, ...all];
  const limited = ['sh', '-c', 'ulimit -n "$0" && exec "$@"', `${descriptors}`, ...command];
  const [file, ...parameters] = descriptors === undefined ? command : limited;
  const child = spawn(file!, parameters, {
    stdio: ['ignore', 'pipe', onLog ? 'pipe' : 'inherit'],
    env: { ...process.env, ...env },
  });
  if (onLog) child.stderr!.setEncoding('utf8').on('data', onLog);
  let output = '';
  const url = new Promise<string>((resolve, reject) => {
    child.stdout!.on('data', (chunk) => {
      output += chunk;
      const address = /listening on +(http:\S+)/.exec(output)?.[1];
      if (address) resolve(address);
    });
    child.once('exit', (code) => reject(new Error(`the service ended with ${code} before it listened: ${output}`)));
  });
  // a process that is killed early never listens
  url.catch(() => {});
  return { child, url };
}

export function kill(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });
}
