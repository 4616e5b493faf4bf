import { bodyOf, type ProjectApi } from "../api/client.ts";

const minuteMs = 60_000;
/** The ranges searched for a newer trace, nearest first; the search halves a range that holds more than a page. */
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
  const createdMs = Date.parse(createdAt);
  for (const stretch of stretchesMs) {
    const nearest = await oldestAfter(api, traceId, { fromMs: createdMs, toMs: createdMs + stretch });
    if (nearest !== null) return nearest;
  }
  return null;
}

interface Range {
  fromMs: number;
  /** Exclusive. */
  toMs: number;
}

/** The id of the oldest trace of the range that is newer than this one; null if there is none. */
async function oldestAfter(api: ProjectApi, traceId: string, { fromMs, toMs }: Range): Promise<string | null> {
  const isInstant = toMs - fromMs <= 1;
  let oldest: string | null = null;
  let cursor: string | null = null;
  do {
    const page = await readPage(api, { fromMs, toMs }, cursor);
    const at = page.traces.findIndex(({ _id }) => _id === traceId);
    const newer = at === -1 ? page.traces : page.traces.slice(0, at);
    oldest = newer.at(-1)?._id ?? oldest;
    cursor = at === -1 ? page.nextCursor : null;
  } while (cursor !== null && isInstant);
  if (cursor === null) return oldest;
  const middleMs = Math.floor((fromMs + toMs) / 2);
  return (
    (await oldestAfter(api, traceId, { fromMs, toMs: middleMs })) ??
    (await oldestAfter(api, traceId, { fromMs: middleMs, toMs }))
  );
}

async function readPage(api: ProjectApi, { fromMs, toMs }: Range, cursor: string | null) {
  const query = {
    from: new Date(fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
    limit: String(pageSize),
    ...(cursor !== null && { cursor }),
  };
  return await bodyOf(api.GET("/api/v1/ingest/traces", { params: { query } }));
}
