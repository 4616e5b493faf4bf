/** Shown for an unknown value. Never 0. */
export const unknown = "-";

type Maybe<T> = T | null | undefined;

// Without Intl: its first use costs a browser some 30 ms, on every page.

/** `1,204,331` */
export function formatCount(value: Maybe<number>): string {
  if (value == null) return unknown;
  const [whole = "", decimals] = String(Math.round(value * 1_000) / 1_000).split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return decimals === undefined ? grouped : `${grouped}.${decimals}`;
}

/** `1.2M`, for axes and narrow places. */
export function formatCompact(value: Maybe<number>): string {
  if (value == null) return unknown;
  let scaled = value;
  let unit = 0;
  // 999.95 of one unit would be printed as 1,000 of it.
  while (Math.abs(scaled) >= 999.95 && unit < compactUnits.length - 1) {
    scaled /= 1_000;
    unit++;
  }
  return `${Math.round(scaled * 10) / 10}${compactUnits[unit]}`;
}

const compactUnits = ["", "K", "M", "B", "T"] as const;

/** Milliseconds as `0.3 ms`, `412 ms`, `1.24 s`, `2 min 5 s`, `1 h 4 min`. */
export function formatDuration(ms: Maybe<number>): string {
  if (ms == null) return unknown;
  if (ms < 0) return `-${formatDuration(-ms)}`;
  if (ms < 10 && ms % 1 !== 0) return `${ms.toFixed(1)} ms`;
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${(ms / 1_000).toFixed(2)} s`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 3_600) return join(Math.floor(seconds / 60), "min", seconds % 60, "s");
  const minutes = Math.round(seconds / 60);
  if (minutes < 48 * 60) return join(Math.floor(minutes / 60), "h", minutes % 60, "min");
  return join(Math.floor(minutes / 1_440), "d", Math.floor((minutes % 1_440) / 60), "h");
}

function join(major: number, majorUnit: string, minor: number, minorUnit: string): string {
  return minor === 0 ? `${major} ${majorUnit}` : `${major} ${majorUnit} ${minor} ${minorUnit}`;
}

/** US dollars: `$41.20`, `$0.061`, `$0.00042`; two significant digits below a dollar. */
export function formatCost(usd: Maybe<number>): string {
  if (usd == null) return unknown;
  if (usd === 0) return "$0";
  const size = Math.abs(usd);
  if (size >= 1_000) return `$${formatCount(Math.round(usd))}`;
  if (size >= 1) return `$${usd.toFixed(2)}`;
  const digits = Math.min(8, 1 - Math.floor(Math.log10(size)));
  return `$${usd.toFixed(digits).replace(/(\.\d\d\d*?)0+$/, "$1")}`;
}

/** A share between 0 and 1 as `96.1%`. */
export function formatShare(share: Maybe<number>, digits = 1): string {
  return share == null ? unknown : `${(share * 100).toFixed(digits)}%`;
}

/** A share that has to be reached, with all its digits: rounded, it could look like one that is not enough. */
export function formatExactShare(share: number): string {
  return `${percentOf(share)}%`;
}

/** 0.07 * 100 is 7.000000000000001. */
export const percentOf = (share: number): number => Number((share * 100).toPrecision(12));

/** Whether what someone typed is a number between two, these included. */
export const isWithin = (typed: string, least: number, most: number): boolean =>
  typed.trim() !== "" && Number(typed) >= least && Number(typed) <= most;

/** The share that a typed percentage means. */
export const shareOfPercent = (typed: string): number => Number((Number(typed) / 100).toPrecision(12));

/** A rating between 0 and 10 as `7.4`. */
export function formatRating(rating: Maybe<number>): string {
  return rating == null ? unknown : rating.toFixed(1);
}

/** `+4.2`, `-0.4`, `0`; a difference always has its sign. */
export function formatDelta(value: Maybe<number>, digits = 1): string {
  if (value == null) return unknown;
  const text = Math.abs(value).toFixed(digits);
  if (Number(text) === 0) return "0";
  return `${value > 0 ? "+" : "-"}${text}`;
}

/** Bytes as `9.4 MB`. */
export function formatBytes(bytes: Maybe<number>): string {
  if (bytes == null) return unknown;
  if (bytes < 1_024) return `${bytes} B`;
  if (bytes < 1_048_576) return `${(bytes / 1_024).toFixed(1)} KB`;
  return `${(bytes / 1_048_576).toFixed(1)} MB`;
}

/** The size of what is on a disk, in powers of 1000 as disks are sold: `940 MB`, `1.3 TB`. */
export function formatDiskSize(bytes: Maybe<number>): string {
  if (bytes == null) return unknown;
  let [scaled, unit] = [bytes / 1e6, 0];
  while (scaled >= 999.5 && unit < diskUnits.length - 1) {
    scaled /= 1_000;
    unit++;
  }
  return `${scaled < 10 ? Math.round(scaled * 10) / 10 : Math.round(scaled)} ${diskUnits[unit]}`;
}

const diskUnits = ["MB", "GB", "TB"] as const;

/** `12:04:11` today, `Nov 21 12:04` this year, `2025-11-21` before. */
export function formatTime(iso: Maybe<string>, now = new Date()): string {
  if (iso == null) return unknown;
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return unknown;
  if (time.toDateString() === now.toDateString()) return clock(time, true);
  if (time.getFullYear() !== now.getFullYear()) return isoDate(time);
  return `${months[time.getMonth()]} ${time.getDate()} ${clock(time, false)}`;
}

/** The full time with its zone, for titles. */
export function formatMoment(iso: Maybe<string>): string {
  if (iso == null) return unknown;
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return unknown;
  return `${isoDate(time)} ${clock(time, true)} ${zoneOf(time)}`;
}

/** `UTC`, `UTC+1`, `UTC-3:30`. */
function zoneOf(time: Date): string {
  const minutes = -time.getTimezoneOffset();
  if (minutes === 0) return "UTC";
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `UTC${minutes > 0 ? "+" : "-"}${hours}${rest === 0 ? "" : `:${String(rest).padStart(2, "0")}`}`;
}

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"] as const;

/** `14:00`, for the axis of a day. */
export function formatClock(iso: string): string {
  return clock(new Date(iso), false);
}

/** `Nov 17` for a day that begins at midnight UTC, as the API's days do. */
export function formatDay(iso: string): string {
  const day = new Date(iso);
  return `${months[day.getUTCMonth()]} ${day.getUTCDate()}`;
}

/** `now`, `2 min ago`, `3 h ago`, `5 d ago`; a time in the future is `now`. */
export function formatAge(iso: Maybe<string>, now = Date.now()): string {
  if (iso == null) return unknown;
  const seconds = Math.floor((now - Date.parse(iso)) / 1_000);
  if (Number.isNaN(seconds)) return unknown;
  if (seconds < 10) return "now";
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3_600)} h ago`;
  return `${Math.floor(seconds / 86_400)} d ago`;
}

/** `1 case`, `3 cases`. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

function clock(time: Date, withSeconds: boolean): string {
  const parts = [time.getHours(), time.getMinutes(), ...(withSeconds ? [time.getSeconds()] : [])];
  return parts.map((part) => String(part).padStart(2, "0")).join(":");
}

function isoDate(time: Date): string {
  return [time.getFullYear(), time.getMonth() + 1, time.getDate()]
    .map((part) => String(part).padStart(2, "0"))
    .join("-");
}
