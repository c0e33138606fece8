import { fromJson, type Kind } from '../../bindings/query/validate.js';
import { type Moment, parseMoment } from '../time/moments.js';

const WITHOUT_OFFSET = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2})$/;
/** The year 10000: dates have four digits for the year. */
const END_OF_DATES: Moment = 253_402_300_800_000_000;

const FORMS =
  'a date in the future such as `2030-01-31T09:30:00Z`, `2030-01-31T09:30:00`, `2030-01-31 09:30:00` or `2030-01-31` (UTC where no offset is given), or null';

/** When a key ends; null: never. */
export const EXPIRY: Kind<Moment | null> = fromJson({ type: ['string', 'null'], format: 'date-time' }, (value, at) => {
  if (value === null) return null;
  const moment = typeof value === 'string' ? readDate(value) : null;
  return moment !== null && moment > Date.now() * 1000 ? moment : at.refuse(FORMS, value);
});

function readDate(text: string): Moment | null {
  const [, day, time] = WITHOUT_OFFSET.exec(text) ?? [];
  const parsed = parseMoment(day === undefined ? text : `${day}T${time}Z`);
  return parsed && parsed.moment < END_OF_DATES ? Math.floor(parsed.moment) : null;
}
