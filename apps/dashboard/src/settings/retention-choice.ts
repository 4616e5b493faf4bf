/** How long traces are kept: as the installation's setting, indefinitely, or a number of days. */
export type RetentionKind = "installation" | "forever" | "days";

export interface RetentionDraft {
  kind: RetentionKind;
  /** As typed. */
  days: string;
}

export const daysMax = 36_500;

/** The choice for a stored value: null follows the installation, 0 keeps traces indefinitely. */
export function draftOfDays(days: number | null): RetentionDraft {
  if (days === null) return { kind: "installation", days: "30" };
  return days <= 0 ? { kind: "forever", days: "30" } : { kind: "days", days: String(days) };
}

/** The value to send; undefined unless the days are a whole number from 1 to {@link daysMax}. */
export function daysOfDraft({ kind, days }: RetentionDraft): number | null | undefined {
  if (kind === "installation") return null;
  if (kind === "forever") return 0;
  const value = Number(days);
  return days.trim() !== "" && Number.isInteger(value) && value >= 1 && value <= daysMax ? value : undefined;
}

/** The time in ISO 8601 before which traces are deleted; rounded to a minute, so that the count is requested once a minute. */
export function cutoff(days: number, now: number): string {
  return new Date(Math.floor(now / 60_000) * 60_000 - days * 86_400_000).toISOString();
}
