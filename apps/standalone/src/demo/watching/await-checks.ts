import { setTimeout as sleep } from "node:timers/promises";
import type { DemoClient } from "../demo-client.ts";

const judgesPath = "/agent-monitoring/judge-scorers";
const settlingMaxMs = 60_000;
const pollMs = 250;

/** Waits until all traces sent so far have settled, at most a minute. Later changes of scorers do not affect them. */
export async function awaitSettled(client: DemoClient): Promise<void> {
  const sent = await client.call<{ totalCount: number }>("GET", "/ingest/traces?source=production&limit=1");
  const endMs = Date.now() + settlingMaxMs;
  while (Date.now() < endMs) {
    const { totalRuns } = await client.call<{ totalRuns: number }>("GET", "/monitor/kpis?window=30d");
    if (totalRuns >= sent.totalCount) return;
    await sleep(pollMs);
  }
}

/**
 * Waits until the judge has rated this many traces, up to a deadline; missing ratings arrive later. Returns whether all have
 * arrived.
 */
export async function awaitVerdicts(
  client: DemoClient,
  options: { judgeId: string; count: number; waitMs: number; onProgress: (rated: number) => void },
): Promise<void> {
  const { judgeScorer } = await client.call<{ judgeScorer: { online: { profileId: string } | null } }>(
    "GET",
    `${judgesPath}/${options.judgeId}`,
  );
  const path = `/monitor/online-evaluators/${judgeScorer.online?.profileId}/ratings?window=30d`;
  const endMs = Date.now() + options.waitMs;
  while (Date.now() < endMs) {
    const { points } = await client.call<{ points: { count: number }[] }>("GET", path);
    const rated = points.reduce((sum, { count }) => sum + count, 0);
    if (rated >= options.count) return;
    options.onProgress(rated);
    await sleep(pollMs);
  }
}
