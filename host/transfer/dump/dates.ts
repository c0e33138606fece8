import { formatMoment, type Moment, parseMoment } from '../../time/moments.js';
import { ArchiveError } from '../archive.js';

export function writeMoment(moment: Moment | null): string | null {
  return moment === null ? null : formatMoment(moment);
}

/** Digits beyond the microsecond are dropped. @throws {ArchiveError} when the value is not a date */
export function readMoment(value: unknown): Moment {
  const parsed = typeof value === 'string' ? parseMoment(value) : null;
  if (!parsed) throw new ArchiveError(`\`${String(value)}\` is no date`);
  return Math.floor(parsed.moment);
}

export function readOptionalMoment(value: unknown): Moment | null {
  return value === null || value === undefined ? null : readMoment(value);
}
