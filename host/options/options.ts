import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { parse as parseToml } from 'smol-toml';
import { own } from '../../bindings/own.js';
import { LaunchError } from '../runtime/launch-error.js';
import type { Option, Raw } from './kinds.js';
import type { Launch, Options } from './launch.js';
import { REFUSED_OPTIONS } from './refused.js';
import { OPTIONS } from './table.js';

const CONFIG_FLAG = 'config-file-path';
const DEFAULT_CONFIG = './config.toml';

/** Each option as texts: how it is written, what it means, and its default; null: the meaning says it, or there is none. */
export function optionTexts(): { flag: string; meaning: string; initial: string | null }[] {
  const texts = Object.values(OPTIONS).map(({ flag, value, initial, meaning }) => {
    const isNamed = initial === null || typeof initial === 'function' || typeof initial === 'boolean';
    const shown = initial === Number.MAX_SAFE_INTEGER ? 'no limit' : `${initial}`;
    return { flag: `--${flag} ${value}`.trimEnd(), meaning, initial: isNamed ? null : shown };
  });
  const meaning = 'File with options in TOML, names in snake_case.';
  return [...texts, { flag: `--${CONFIG_FLAG} <PATH>`, meaning, initial: `${DEFAULT_CONFIG} when it exists` }];
}

/** The output of `--help`. */
export function helpText(): string {
  const texts = optionTexts();
  const width = Math.max(...texts.map(({ flag }) => flag.length));
  const lines = texts.map(
    ({ flag, meaning, initial }) => `  ${flag.padEnd(width)}  ${meaning}${initial === null ? '' : ` [${initial}]`}`,
  );
  return [
    'Usage: peregrine [options]           serve',
    '       peregrine check [options]     look for damage in the database at --db-path, which no process may have open',
    '       peregrine repair [options]    build what is damaged anew from the documents that can be read',
    '',
    ...lines,
    '',
    'Each option can also come from the environment as PEREGRINE_ and its name in capitals (PEREGRINE_DB_PATH; the',
    'MEILI_ prefix is understood too) or from the file. The command line wins over the environment, which wins over the file.',
  ].join('\n');
}

/** Reads options from the command line, the environment and the configuration file. @throws LaunchError */
export function readOptions(argv: readonly string[], env: Readonly<Record<string, string | undefined>>): Launch {
  const flags = readFlags(argv);
  const file = readFile(flags.get(CONFIG_FLAG) ?? fromEnvironment(env, CONFIG_FLAG));
  const given = (flag: string) => flags.get(flag) ?? fromEnvironment(env, flag) ?? file.get(tomlName(flag));
  refuse(given);
  const options: Partial<Options> = {};
  for (const [name, option] of Object.entries(OPTIONS) as [string, Option<unknown>][]) {
    const raw = given(option.flag) ?? (option.otherFlag === undefined ? undefined : given(option.otherFlag));
    Object.assign(options, { [name]: raw === undefined ? initialOf(option, options) : checked(option, raw) });
  }
  checkTogether(options as Options);
  checkMasterKey(options as Options);
  return { ...(options as Options), withConfigurationFile: file.size > 0 };
}

const tomlName = (flag: string) => flag.replaceAll('-', '_');

/** Refuses options that only other servers of this interface have, unless they are switches that are off. */
function refuse(given: (flag: string) => Raw | undefined): void {
  for (const { flag, instead } of REFUSED_OPTIONS) {
    const raw = given(flag);
    if (raw !== undefined && String(raw) !== 'false') throw new LaunchError(`The option --${flag} is not supported: ${instead}.`);
  }
}

/** Every flag, and whether it is a switch. */
function knownFlags(): Map<string, boolean> {
  const all = [...Object.values(OPTIONS), ...REFUSED_OPTIONS] as Pick<Option<unknown>, 'flag' | 'otherFlag' | 'isSwitch'>[];
  return new Map(
    all.flatMap(({ flag, otherFlag, isSwitch = false }) => [flag, otherFlag ?? []].flat().map((name) => [name, isSwitch])),
  );
}

/** Options that have no effect without another one. */
const NEEDED: [option: keyof Options, needed: keyof Options][] = [
  ['ignoreMissingDump', 'importDump'],
  ['ignoreDumpIfDbExists', 'importDump'],
  ['ignoreMissingSnapshot', 'importSnapshot'],
  ['ignoreSnapshotIfDbExists', 'importSnapshot'],
  ['sslCertPath', 'sslKeyPath'],
  ['sslKeyPath', 'sslCertPath'],
  ['sslAuthPath', 'sslCertPath'],
  ['sslRequireAuth', 'sslAuthPath'],
];

function checkTogether(options: Options): void {
  const flagOf = (name: keyof Options) => `--${OPTIONS[name].flag}`;
  for (const [option, needed] of NEEDED) {
    if (options[option] && !options[needed])
      throw new LaunchError(`The option ${flagOf(option)} has a meaning only with ${flagOf(needed)}.`);
  }
  if (options.importDump && options.importSnapshot)
    throw new LaunchError('The options --import-dump and --import-snapshot exclude each other.');
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
  const switches = knownFlags().set(CONFIG_FLAG, false);
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
  return own(env, `PEREGRINE_${name}`) ?? own(env, `MEILI_${name}`) ?? own(env, `MEILI_${alias}`);
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
  const known = new Set([...knownFlags().keys()].map(tomlName));
  const unknown = Object.keys(values).find((name) => !known.has(name));
  if (unknown !== undefined) throw new LaunchError(`The configuration file \`${file}\` has the unknown option \`${unknown}\`.`);
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === 'object')
      throw new LaunchError(
        `The configuration file \`${file}\` has a list, table or date for \`${name}\`, which takes one value.`,
      );
  }
  return new Map(Object.entries(values) as [string, Raw][]);
}

/** Shortest master key, in bytes, that production accepts. */
const MIN_KEY_BYTES = 16;

function checkMasterKey({ env, masterKey }: Options): void {
  if (env !== 'production' || (masterKey !== null && Buffer.byteLength(masterKey) >= MIN_KEY_BYTES)) return;
  const problem = masterKey === null ? 'needs a master key' : `needs a master key of at least ${MIN_KEY_BYTES} bytes`;
  throw new LaunchError(
    `Production ${problem}. This one was made just now and is known to nobody else:\n  --master-key ${newMasterKey()}`,
  );
}

/** A warning when the master key would be refused in production, or null. */
export function masterKeyWarning({ masterKey }: Options): string | null {
  if (masterKey === null) return 'No master key: every route is open to everybody who reaches this address.';
  if (Buffer.byteLength(masterKey) >= MIN_KEY_BYTES) return null;
  return `The master key is shorter than ${MIN_KEY_BYTES} bytes; production would refuse it. A good one: ${newMasterKey()}`;
}

function newMasterKey(): string {
  return randomBytes(32).toString('base64url');
}
