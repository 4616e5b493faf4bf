import {
  errorKinds,
  type IngestCountsReply,
  type IngestHealth,
  type IngestOutcome,
  ingestRefusals,
  internalRoutes,
  listHours,
  readDashboardWindow,
  rejectedItems,
} from "@touchstone/contracts";
import type { Answer, Clock, InternalClient } from "@touchstone/service-kit";
import type { CountKeeper } from "../ingest-health/count-keeper.ts";

/** Time limit of ingest. */
const readDeadlineMs = 10_000;

export interface IngestHealthDependencies {
  ingest: InternalClient;
  keeper: Pick<CountKeeper, "flush">;
  clock: Clock;
}

export type ReadIngestHealth = (asked: { projectId: string; window: unknown }, requestId: string) => Promise<Answer>;

type KeptCount = IngestCountsReply["counts"][number];

/**
 * `GET /agent-monitoring/ingest-health`: the outcomes of the project's telemetry requests (decision 44). This gateway's
 * counts are stored first, so that a client sees a refusal at once; those of other gateways follow within 30 s.
 */
export function createIngestHealth({ ingest, keeper, clock }: IngestHealthDependencies): ReadIngestHealth {
  return async (asked, requestId) => {
    const window = readDashboardWindow(asked.window);
    const hours = listHours(window, clock.now());
    const since = new Date(hours[0] as number).toISOString();
    await keeper.flush();
    const { counts } = await ingest.call(
      internalRoutes.readIngestCounts,
      { projectId: asked.projectId, since },
      { requestId, deadlineMs: readDeadlineMs },
    );
    return { status: 200, body: { window, since, ...describeCounts(counts, hours) } satisfies IngestHealth };
  };
}

/** `counts` are ordered by hour. */
function describeCounts(counts: readonly KeptCount[], hours: readonly number[]) {
  const byHour = Map.groupBy(counts, ({ hour }) => Date.parse(hour));
  const about = (outcome: IngestOutcome) => {
    const own = counts.filter((each) => each.outcome === outcome);
    return {
      count: add(own),
      lastAt:
        own
          .map(({ lastAt }) => lastAt)
          .toSorted()
          .at(-1) ?? "",
      example: own.findLast(({ example }) => example !== null)?.example ?? null,
    };
  };
  return {
    ...sumUp(counts),
    refusals: ingestRefusals
      .map((reason) => ({ reason, status: errorKinds[reason].status, ...about(reason) }))
      .filter(({ count }) => count > 0)
      .toSorted((one, other) => other.count - one.count),
    parts: rejectedItems.map((items) => ({ items, ...about(`rejected_${items}`) })).filter(({ count }) => count > 0),
    hours: hours.map((start) => {
      const own = byHour.get(start) ?? [];
      const refusals = own.filter(isRefusal).map(({ outcome, count }) => [outcome, count]);
      return { ts: new Date(start).toISOString(), ...sumUp(own), refusals: Object.fromEntries(refusals) };
    }),
  };
}

function sumUp(counts: readonly KeptCount[]) {
  return {
    accepted: add(counts.filter(({ outcome }) => outcome === "accepted")),
    refused: add(counts.filter(isRefusal)),
    rejected: add(counts.filter(({ outcome }) => rejectedItems.some((items) => outcome === `rejected_${items}`))),
  };
}

function isRefusal({ outcome }: KeptCount): boolean {
  return ingestRefusals.some((reason) => reason === outcome);
}

function add(counts: readonly { count: number }[]): number {
  return counts.reduce((sum, { count }) => sum + count, 0);
}
