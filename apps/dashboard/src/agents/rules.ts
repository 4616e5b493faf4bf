export const windows = ["24h", "7d", "30d"] as const;
export type Window = (typeof windows)[number];

export const windowNames: Record<Window, string> = { "24h": "24 hours", "7d": "7 days", "30d": "30 days" };

export const deliveryStatuses = ["pending", "delivered", "failed"] as const;

/** The `open` of a URL while a new object is being written. */
export const newItem = "new";

/** `1 min`, `90 min`, `2 h`, `1 d` of minutes, without a remainder: 90 minutes stay minutes. */
export function formatMinutes(minutes: number): string {
  if (minutes % 1_440 === 0) return `${minutes / 1_440} d`;
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${minutes} min`;
}
