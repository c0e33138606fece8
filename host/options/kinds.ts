import { own } from '../../bindings/own.js';
import { listed } from '../../bindings/query/validate.js';
import type { Options } from './launch.js';
import { parseSize } from './sizes.js';

/** How options are parsed, from whichever source. */
export type Raw = string | number | bigint | boolean;

export interface Option<T> {
  /** Command line flag; the names in the environment and in the file are derived from it. */
  flag: string;
  /** An older name, accepted wherever the other is. */
  otherFlag?: string;
  value: string;
  initial: T | ((options: Partial<Options>) => T);
  meaning: string;
  /** undefined: the value is invalid. */
  read(raw: Raw): T | undefined;
  accepted: string;
  /** A switch: the flag without a value means `true`. */
  isSwitch?: boolean;
}

export const BYTES = { value: '<BYTES>', accepted: 'bytes, or a number with a unit such as `100 MB` or `2 GiB`' };
export const SWITCH = { value: '', accepted: '`true` or `false`', isSwitch: true, read: readSwitch, initial: false };
export const COUNT = { value: '<N>', accepted: 'an integer of at least 0', read: readCount };

export function text(flag: string, value: string, initial: string, meaning: string): Option<string> {
  const read = (raw: Raw) => (typeof raw === 'string' && raw !== '' ? raw : undefined);
  return { flag, value, initial, meaning, accepted: 'a text', read };
}

export function choice<T extends string>(flag: string, values: T[], initial: T, meaning: string): Option<T> {
  const read = (raw: Raw) => values.find((value) => value.toLowerCase() === String(raw).toLowerCase());
  return {
    flag,
    value: `<${values.join('|')}>`,
    initial,
    meaning,
    accepted: listed(values),
    read,
  };
}

/** Optional text. */
export function optionalText(flag: string, value: string, meaning: string): Option<string | null> {
  return { ...text(flag, value, '', meaning), initial: null };
}

export function toggle(flag: string, meaning: string): Option<boolean> {
  return { ...SWITCH, flag, meaning };
}

function readBoolean(raw: Raw): boolean | undefined {
  return raw === true || raw === 'true' ? true : raw === false || raw === 'false' ? false : undefined;
}

/** Other words for true and false that environments and other servers of this interface use. */
const SWITCH_WORDS: Record<string, boolean> = { 1: true, yes: true, on: true, 0: false, no: false, off: false };

function readSwitch(raw: Raw): boolean | undefined {
  const word = String(raw).toLowerCase();
  return readBoolean(word) ?? own(SWITCH_WORDS, word);
}

export function readCount(raw: Raw): number | undefined {
  return /^\d+$/.test(String(raw)) && Number.isSafeInteger(Number(raw)) ? Number(raw) : undefined;
}

export function readBytes(raw: Raw): number | undefined {
  return typeof raw === 'string' ? (parseSize(raw) ?? undefined) : readCount(raw);
}

/** Longest interval in seconds: a timer of Node.js takes at most 2^31 - 1 milliseconds. */
export const MAX_INTERVAL_SECONDS = 2_147_483;
const DAY = 86_400;

/** Seconds between two events; `true` is a day, `false` is never. */
export function readInterval(raw: Raw): number | null | undefined {
  const given = readBoolean(raw);
  if (given !== undefined) return given ? DAY : null;
  const seconds = readCount(raw) ?? 0;
  return seconds >= 1 && seconds <= MAX_INTERVAL_SECONDS ? seconds : undefined;
}
