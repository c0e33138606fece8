/**
 * Moments are integer microseconds since 1970 (exact in a double until the year 2112): fine enough that two tasks never share a
 * date, so that exclusive date filters can separate them.
 */
export type Moment = number;

let last = 0;

/** The present moment; later than every earlier result of this process. */
export function now(): Moment {
  const wall = Math.floor((performance.timeOrigin + performance.now()) * 1000);
  // The monotonic clock drifts from the wall clock when the latter is set: follow it when they differ by more than a second.
  const drift = Date.now() * 1000 - wall;
  const moment = Math.abs(drift) > 1_000_000 ? wall + drift : wall;
  last = Math.max(moment, last + 1);
  return last;
}

/** Makes later moments follow those of an earlier process. */
export function startAfter(moment: Moment): void {
  last = Math.max(last, moment);
}

/** RFC 3339 in UTC, fractional seconds without trailing zeros. */
export function formatMoment(moment: Moment): string {
  const seconds = new Date(Math.floor(moment / 1_000_000) * 1000).toISOString().slice(0, 19);
  const micros = String(moment % 1_000_000)
    .padStart(6, '0')
    .replace(/0+$/, '');
  return micros ? `${seconds}.${micros}Z` : `${seconds}Z`;
}

/** ISO 8601 duration: days only if there are any, then seconds with 0, 3 or 6 decimals. */
export function formatDuration(started: Moment | null, finished: Moment | null): string | null {
  if (started === null || finished === null || finished < started) return null;
  const total = finished - started;
  const days = Math.floor(total / 86_400_000_000);
  const rest = total % 86_400_000_000;
  const seconds = Math.floor(rest / 1_000_000);
  const micros = rest % 1_000_000;
  const digits = String(micros).padStart(6, '0');
  const fraction = micros === 0 ? '' : `.${micros % 1000 === 0 ? digits.slice(0, 3) : digits}`;
  const day = days > 0 ? `${days}D` : '';
  return rest === 0 && days > 0 ? `P${day}` : `P${day}T${seconds}${fraction}S`;
}

const DAY = /^(\d{4})-(\d{2})-(\d{2})$/;
const INSTANT = /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}:\d{2}:\d{2})(?:\.(\d+))?([Zz]|[+-]\d{2}:\d{2})$/;

/**
 * Parses `YYYY-MM-DD` (midnight UTC) or an RFC 3339 date-time with an offset; null when the text is neither. Digits beyond the
 * microsecond add half a microsecond, which keeps comparisons with integer moments right.
 */
export function parseMoment(text: string): { moment: Moment; wholeDay: boolean } | null {
  if (DAY.test(text)) {
    const moment = dayStart(text);
    return moment === null ? null : { moment, wholeDay: true };
  }
  const parts = INSTANT.exec(text);
  const day = parts && dayStart(parts[1]!);
  if (!parts || day === null) return null;
  const [hours, minutes, seconds] = parts[2]!.split(':').map(Number) as [number, number, number];
  if (hours > 23 || minutes > 59 || seconds > 60) return null;
  const zone = /^([+-])(\d{2}):(\d{2})$/.exec(parts[4]!);
  if (zone && (Number(zone[2]) > 23 || Number(zone[3]) > 59)) return null;
  const offset = zone ? (zone[1] === '-' ? -1 : 1) * (Number(zone[2]) * 60 + Number(zone[3])) : 0;
  const digits = parts[3] ?? '';
  const micros = Number(digits.slice(0, 6).padEnd(6, '0'));
  const beyond = /[1-9]/.test(digits.slice(6)) ? 0.5 : 0;
  const moment = day! + ((hours * 60 + minutes - offset) * 60 + seconds) * 1_000_000 + micros + beyond;
  return { moment, wholeDay: false };
}

function dayStart(text: string): Moment | null {
  const time = Date.parse(`${text}T00:00:00Z`);
  // Date.parse accepts the 30th of February as the 2nd of March.
  if (Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== text) return null;
  return time * 1000;
}
