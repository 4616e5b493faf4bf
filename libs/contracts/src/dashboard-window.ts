import { z } from "zod";

/** The period that a dashboard shows. */
export const dashboardWindow = z.enum(["1h", "24h", "7d", "30d"]);
export type DashboardWindow = z.infer<typeof dashboardWindow>;

/** An unknown window reads as 7d. */
export const dashboardWindowQuery = z.object({
  window: z.string().optional().describe("1h, 24h, 7d or 30d; default 7d"),
});

/** The length of one interval of a window, in PostgreSQL's notation. */
export type Stretch = "5 minutes" | "1 hour" | "1 day";

const hourMs = 3_600_000;
const windows: Record<DashboardWindow, { stretch: Stretch; stretchMs: number; points: number }> = {
  "1h": { stretch: "5 minutes", stretchMs: hourMs / 12, points: 12 },
  "24h": { stretch: "1 hour", stretchMs: hourMs, points: 24 },
  "7d": { stretch: "1 day", stretchMs: 24 * hourMs, points: 7 },
  "30d": { stretch: "1 day", stretchMs: 24 * hourMs, points: 30 },
};

/** The window of a query; an unknown one reads as 7d (completions 9.5). */
export function readDashboardWindow(value: unknown): DashboardWindow {
  return dashboardWindow.safeParse(value).data ?? "7d";
}

/** The intervals of a window: whole ones in UTC, the last containing `now`; `until` is its end. */
export function stretchesOf(window: DashboardWindow, now: number): { stretch: Stretch; since: Date; until: Date } {
  const { stretch, stretchMs, points } = windows[window];
  const last = Math.floor(now / stretchMs) * stretchMs;
  return { stretch, since: new Date(last - (points - 1) * stretchMs), until: new Date(last + stretchMs) };
}

/** The length of a window, in milliseconds. */
export const lengthOf = (window: DashboardWindow): number => windows[window].stretchMs * windows[window].points;

/** Each interval of a window with its label, oldest first; `start` in epoch milliseconds. */
export function listStretches(window: DashboardWindow, now: number): { start: number; label: string; ts: string }[] {
  const { stretch, stretchMs, points } = windows[window];
  const { since } = stretchesOf(window, now);
  return Array.from({ length: points }, (_, index) => {
    const start = since.getTime() + index * stretchMs;
    const ts = new Date(start).toISOString();
    return { start, label: stretch === "1 day" ? ts.slice(0, 10) : ts.slice(11, 16), ts };
  });
}
