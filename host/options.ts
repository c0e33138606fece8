import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import { parse as parseToml } from 'smol-toml';
import { parseSize } from './http/sizes.js';

/** A launch that cannot go on; the message is for the person at the terminal. */
export class LaunchError extends Error {}

export interface Options {
  dbPath: string;
  httpAddr: string;
  masterKey: string | null;
  env: 'development' | 'production';
  logLevel: 'OFF' | 'ERROR' | 'WARN' | 'INFO' | 'DEBUG' | 'TRACE';
  noAnalytics: boolean;
  httpPayloadSizeLimit: number;
  maxIndexingMemory: number;
  maxIndexingThreads: number;
  experimentalContainsFilter: boolean;
  experimentalEnableMetrics: boolean;
  experimentalEnableLogsRoute: boolean;
  experimentalLegacySearchDefault: boolean;
  experimentalLogsMode: 'HUMAN' | 'JSON';
  experimentalSearchQueueSize: number;
  experimentalNbSearchesPerCore: number;
  experimentalDropSearchAfter: number;
  experimentalMaxNumberOfBatchedTasks: number;
  experimentalLimitBatchedTasksTotalSize: number;
  experimentalReduceIndexingMemoryUsage: boolean;
}

type Raw = string | number | bigint | boolean;

interface Option<T> {
  /** Command line; the names in the environment and in the file follow from it. */
  flag: string;
  value: string;
  initial: T | ((options: Partial<Options>) => T);
  meaning: string;
  /** undefined: refused. */
  read(raw: Raw): T | undefined;
  accepted: string;
  /** A switch: the flag alone means `true`. */
  isSwitch?: boolean;
}

const BYTES = { value: '<BYTES>', accepted: 'bytes, or a number with a unit such as `100 MB` or `2 GiB`' };
const SWITCH = { value: '', accepted: '`true` or `false`', isSwitch: true, read: readSwitch, initial: false };
const COUNT = { value: '<N>', accepted: 'an integer of at least 0', read: readCount };

/** Every launch option: this table reads the command line, the environment and the file, and makes the help. */
const OPTIONS: { [K in keyof Options]: Option<Options[K]> } = {
  dbPath: text('db-path', '<PATH>', './data.pg', 'Folder of the database, made when absent.'),
  httpAddr: text('http-addr', '<HOST:PORT>', 'localhost:7700', 'Address to listen on.'),
  masterKey: {
    ...text('master-key', '<KEY>', '', 'Secret that opens every route; at least 16 bytes in production.'),
    initial: null,
  },
  env: choice('env', ['development', 'production'], 'development', 'In production a master key is required.'),
  logLevel: choice('log-level', ['OFF', 'ERROR', 'WARN', 'INFO', 'DEBUG', 'TRACE'], 'INFO', 'What the log tells.'),
  noAnalytics: { ...SWITCH, flag: 'no-analytics', meaning: 'Collect no anonymous figures on how the service is used.' },
  httpPayloadSizeLimit: {
    ...BYTES,
    flag: 'http-payload-size-limit',
    initial: 100_000_000,
    meaning: 'Largest body of a request, decompressed.',
    read: readBytes,
  },
  maxIndexingMemory: {
    ...BYTES,
    flag: 'max-indexing-memory',
    initial: () => Math.floor((os.totalmem() * 2) / 3),
    meaning: 'Memory that indexing may use; two thirds of the machine by default.',
    read: readBytes,
  },
  maxIndexingThreads: {
    flag: 'max-indexing-threads',
    value: '<N>',
    initial: () => Math.max(1, Math.floor(os.availableParallelism() / 2)),
    meaning: 'Threads that index; half of the cores by default.',
    accepted: 'an integer of at least 1, or `unlimited`',
    read: (raw) => (raw === 'unlimited' ? os.availableParallelism() : readCount(raw) || undefined),
  },
  experimentalContainsFilter: {
    ...SWITCH,
    flag: 'experimental-contains-filter',
    meaning: 'Switch the feature `containsFilter` on.',
  },
  experimentalEnableMetrics: { ...SWITCH, flag: 'experimental-enable-metrics', meaning: 'Switch the feature `metrics` on.' },
  experimentalEnableLogsRoute: {
    ...SWITCH,
    flag: 'experimental-enable-logs-route',
    meaning: 'Switch the feature `logsRoute` on.',
  },
  experimentalLegacySearchDefault: {
    ...SWITCH,
    flag: 'experimental-legacy-search-default',
    meaning: 'Value of the feature `legacySearch` that no request has set.',
  },
  experimentalLogsMode: choice('experimental-logs-mode', ['HUMAN', 'JSON'], 'HUMAN', 'Form of the log.'),
  experimentalSearchQueueSize: {
    ...COUNT,
    flag: 'experimental-search-queue-size',
    initial: 1000,
    meaning: 'Searches that may wait before some are refused.',
  },
  experimentalNbSearchesPerCore: {
    ...COUNT,
    flag: 'experimental-nb-searches-per-core',
    initial: 4,
    meaning: 'Searches under way at once, for each core.',
    accepted: 'an integer of at least 1',
    read: (raw) => readCount(raw) || undefined,
  },
  experimentalDropSearchAfter: {
    ...COUNT,
    value: '<SECONDS>',
    flag: 'experimental-drop-search-after',
    initial: 60,
    meaning: 'A search that waited longer is refused.',
  },
  experimentalMaxNumberOfBatchedTasks: {
    ...COUNT,
    flag: 'experimental-max-number-of-batched-tasks',
    initial: Number.MAX_SAFE_INTEGER,
    meaning: 'Tasks in one batch at most; 0 stops the work on indexes.',
  },
  experimentalLimitBatchedTasksTotalSize: {
    ...BYTES,
    flag: 'experimental-limit-batched-tasks-total-size',
    initial: ({ maxIndexingMemory }) => Math.min((maxIndexingMemory ?? 0) / 2, 10 * 2 ** 30),
    meaning: 'Payloads in one batch at most, together; half of the memory for indexing by default.',
    read: readBytes,
  },
  experimentalReduceIndexingMemoryUsage: {
    ...SWITCH,
    flag: 'experimental-reduce-indexing-memory-usage',
    meaning: 'Index with one thread, which takes less memory.',
  },
};

const CONFIG_FLAG = 'config-file-path';
const DEFAULT_CONFIG = './config.toml';

function text(flag: string, value: string, initial: string, meaning: string): Option<string> {
  const read = (raw: Raw) => (typeof raw === 'string' && raw !== '' ? raw : undefined);
  return { flag, value, initial, meaning, accepted: 'a text', read };
}

function choice<T extends string>(flag: string, values: T[], initial: T, meaning: string): Option<T> {
  const read = (raw: Raw) => values.find((value) => value.toLowerCase() === String(raw).toLowerCase());
  return {
    flag,
    value: `<${values.join('|')}>`,
    initial,
    meaning,
    accepted: values.map((value) => `\`${value}\``).join(', '),
    read,
  };
}

function readSwitch(raw: Raw): boolean | undefined {
  return raw === true || raw === 'true' ? true : raw === false || raw === 'false' ? false : undefined;
}

function readCount(raw: Raw): number | undefined {
  return /^\d+$/.test(String(raw)) && Number.isSafeInteger(Number(raw)) ? Number(raw) : undefined;
}

function readBytes(raw: Raw): number | undefined {
  return typeof raw === 'string' ? (parseSize(raw) ?? undefined) : readCount(raw);
}

/** What to print for `--help`. */
export function helpText(): string {
  const rows = Object.values(OPTIONS).map(({ flag, value, initial, meaning }) => {
    const shown = initial === null || typeof initial === 'function' || typeof initial === 'boolean' ? '' : ` [${initial}]`;
    return [
      `  --${flag} ${value}`.trimEnd(),
      initial === Number.MAX_SAFE_INTEGER ? `${meaning} [no limit]` : `${meaning}${shown}`,
    ];
  });
  rows.push([`  --${CONFIG_FLAG} <PATH>`, `File with options in TOML, names in snake_case. [${DEFAULT_CONFIG} when it exists]`]);
  const width = Math.max(...rows.map(([left]) => left!.length));
  const lines = rows.map(([left, right]) => `${left!.padEnd(width)}  ${right}`);
  return [
    'Usage: peregrine [options]',
    '',
    ...lines,
    '',
    'Each option can also come from the environment as PEREGRINE_ and its name in capitals (PEREGRINE_DB_PATH; the',
    'MEILI_ prefix is understood too) or from the file. The command line wins over the environment, which wins over the file.',
  ].join('\n');
}

/** Options from the command line, the environment and the configuration file. @throws LaunchError */
export function readOptions(argv: readonly string[], env: Readonly<Record<string, string | undefined>>): Options {
  const flags = readFlags(argv);
  const file = readFile(flags.get(CONFIG_FLAG) ?? fromEnvironment(env, CONFIG_FLAG));
  const options: Partial<Options> = {};
  for (const [name, option] of Object.entries(OPTIONS) as [string, Option<unknown>][]) {
    const raw = flags.get(option.flag) ?? fromEnvironment(env, option.flag) ?? file.get(option.flag.replaceAll('-', '_'));
    Object.assign(options, { [name]: raw === undefined ? initialOf(option, options) : checked(option, raw) });
  }
  checkMasterKey(options as Options);
  return options as Options;
}

function initialOf(option: Option<unknown>, options: Partial<Options>): unknown {
  return typeof option.initial === 'function' ? option.initial(options) : option.initial;
}

function checked({ flag, read, accepted }: Option<unknown>, raw: Raw): unknown {
  const value = read(raw);
  if (value === undefined) throw new LaunchError(`The option --${flag} does not take \`${raw}\`: it takes ${accepted}.`);
  return value;
}

function readFlags(argv: readonly string[]): Map<string, Raw> {
  const switches = new Map(Object.values(OPTIONS).map(({ flag, isSwitch }): [string, boolean] => [flag, isSwitch === true]));
  switches.set(CONFIG_FLAG, false);
  const flags = new Map<string, Raw>();
  for (let i = 0; i < argv.length; i++) {
    const [, flag, given] = /^--([^=]+)(?:=(.*))?$/s.exec(argv[i]!) ?? [];
    const isSwitch = flag === undefined ? undefined : switches.get(flag);
    if (flag === undefined || isSwitch === undefined)
      throw new LaunchError(`Unknown option \`${argv[i]}\`; --help lists the options.`);
    if (isSwitch) flags.set(flag, given ?? true);
    else if (given !== undefined) flags.set(flag, given);
    else if (i + 1 < argv.length) flags.set(flag, argv[++i]!);
    else throw new LaunchError(`The option --${flag} needs a value.`);
  }
  return flags;
}

function fromEnvironment(env: Readonly<Record<string, string | undefined>>, flag: string): string | undefined {
  const name = flag.toUpperCase().replaceAll('-', '_');
  // One option has a shorter name under the second prefix.
  const alias = name.replace(/_LEGACY_SEARCH_DEFAULT$/, '_LEGACY_SEARCH');
  return env[`PEREGRINE_${name}`] ?? env[`MEILI_${name}`] ?? env[`MEILI_${alias}`];
}

function readFile(given: Raw | undefined): Map<string, Raw> {
  const file = given === undefined ? DEFAULT_CONFIG : String(given);
  let source: string;
  try {
    source = fs.readFileSync(file, 'utf8');
  } catch (error) {
    if (given === undefined && (error as NodeJS.ErrnoException).code === 'ENOENT') return new Map();
    throw new LaunchError(`The configuration file \`${file}\` cannot be read: ${(error as Error).message}`);
  }
  let values: Record<string, unknown>;
  try {
    values = parseToml(source);
  } catch (error) {
    throw new LaunchError(`The configuration file \`${file}\` is not TOML: ${(error as Error).message}`);
  }
  const known = new Set(Object.values(OPTIONS).map(({ flag }) => flag.replaceAll('-', '_')));
  const unknown = Object.keys(values).find((name) => !known.has(name));
  if (unknown !== undefined) throw new LaunchError(`The configuration file \`${file}\` has the unknown option \`${unknown}\`.`);
  return new Map(Object.entries(values) as [string, Raw][]);
}

/** Bytes of the shortest master key that production takes. */
const SHORTEST_KEY = 16;

function checkMasterKey({ env, masterKey }: Options): void {
  if (env !== 'production' || (masterKey !== null && Buffer.byteLength(masterKey) >= SHORTEST_KEY)) return;
  const problem = masterKey === null ? 'needs a master key' : `needs a master key of at least ${SHORTEST_KEY} bytes`;
  throw new LaunchError(
    `Production ${problem}. This one was made just now and is known to nobody else:\n  --master-key ${newMasterKey()}`,
  );
}

/** Warning for a development launch whose key would be refused in production, or null. */
export function masterKeyWarning({ masterKey }: Options): string | null {
  if (masterKey === null) return 'No master key: every route is open to everybody who reaches this address.';
  if (Buffer.byteLength(masterKey) >= SHORTEST_KEY) return null;
  return `The master key is shorter than ${SHORTEST_KEY} bytes; production would refuse it. A good one: ${newMasterKey()}`;
}

function newMasterKey(): string {
  return randomBytes(32).toString('base64url');
}
