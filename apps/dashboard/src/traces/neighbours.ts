import { bodyOf, type ProjectApi } from "../api/client.ts";

const minuteMs = 60_000;
/** The ranges searched for a newer trace, nearest first; the search halves a range that contains more than a page. */
const stretchesMs = [minuteMs, 10 * minuteMs, 120 * minuteMs, 2_880 * minuteMs, 525_600 * minuteMs];
const pageSize = 100;

/** The id of the previous trace in time; null if this is the oldest. */
export async function olderTrace(api: ProjectApi, traceId: string): Promise<string | null> {
  const { traces } = await bodyOf(
    api.GET("/api/v1/ingest/traces", { params: { query: { cursor: traceId, limit: "1" } } }),
  );
  return traces[0]?._id ?? null;
}

/** The id of the next trace in time; null if this is the newest. Lists begin with the newest, so it is searched for by time. */
export async function newerTrace(api: ProjectApi, traceId: string, createdAt: string): Promise<string | null> {
  const from = createdAt;
  for (const stretch of stretchesMs) {
    const to = new Date(Date.parse(createdAt) + stretch).toISOString();
    const query = { from, to, limit: String(pageSize) };
    const { traces } = await bodyOf(api.GET("/api/v1/ingest/traces", { params: { query } }));
    const at = traces.findIndex(({ _id }) => _id === traceId);
    const newer = at === -1 ? traces : traces.slice(0, at);
    const nearest = newer.at(-1);
    if (nearest !== undefined) return nearest._id;
  }
  return null;
}
