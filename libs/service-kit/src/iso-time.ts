const isoPattern =
  /^([+-]\d{6}|\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?\s*(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i;

/**
 * Parses an ISO 8601 date or date-time to epoch milliseconds, possibly fractional. Null when it is invalid, or names a
 * day or hour that does not exist. Without a zone it is UTC: the zone of the reading machine is irrelevant.
 */
export function parseIsoTime(text: string): number | null {
  const match = isoPattern.exec(text.trim());
  if (match === null) return null;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((part) => Number(part ?? 0)) as Parts;
  const startOfDay = new Date(0);
  startOfDay.setUTCFullYear(year, month - 1, day);
  const isCalendarDay =
    startOfDay.getUTCFullYear() === year && startOfDay.getUTCMonth() === month - 1 && startOfDay.getUTCDate() === day;
  // ISO 8601 lets a day end at 24:00, and a minute may have a leap second.
  const isTimeOfDay = (hour < 24 && minute < 60 && second <= 60) || (hour === 24 && minute === 0 && second === 0);
  const offsetMinutes = readOffset(match[8]);
  if (!isCalendarDay || !isTimeOfDay || offsetMinutes === null) return null;
  const fractionMs = match[7] === undefined ? 0 : Number(`0.${match[7]}`) * 1000;
  return startOfDay.getTime() + ((hour * 60 + minute - offsetMinutes) * 60 + second) * 1000 + fractionMs;
}

type Parts = [year: number, month: number, day: number, hour: number, minute: number, second: number];

function readOffset(zone: string | undefined): number | null {
  if (zone === undefined || zone.toUpperCase() === "Z") return 0;
  const digits = zone.slice(1).replace(":", "");
  const hours = Number(digits.slice(0, 2));
  const minutes = Number(digits.slice(2) || 0);
  if (hours > 23 || minutes > 59) return null;
  return (zone.startsWith("-") ? -1 : 1) * (hours * 60 + minutes);
}
