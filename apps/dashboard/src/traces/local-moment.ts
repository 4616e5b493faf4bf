/** A time as the value of a `datetime-local` input, in this browser's zone; empty for an invalid time. */
export function toLocalInput(iso: string | undefined): string {
  const time = new Date(iso ?? "");
  if (Number.isNaN(time.getTime())) return "";
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** The inverse of {@link toLocalInput}; undefined for an invalid time. */
export function toIso(local: string): string | undefined {
  const time = new Date(local);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
