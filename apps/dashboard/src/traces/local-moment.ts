/** A moment as a `datetime-local` input holds it, in this browser's zone; empty for what is no moment. */
export function toLocalInput(iso: string | undefined): string {
  const time = new Date(iso ?? "");
  if (Number.isNaN(time.getTime())) return "";
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** The opposite of {@link toLocalInput}; undefined for what is no moment. */
export function toIso(local: string): string | undefined {
  const time = new Date(local);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
