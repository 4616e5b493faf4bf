import type { StoredTrace } from "@touchstone/contracts";
import { type SpanRow, unmonitoredFlag } from "./span-row.ts";

/**
 * The JSON of a root in `event.traces.stored.v1`. A root whose `flags` say so is not monitored; for the others, `asked` is
 * what its sender requested, absent = nothing.
 */
export function describeRoot(
  projectId: string,
  row: Pick<SpanRow, "id" | "agentId" | "name" | "createdAtMs" | "flags"> & { source: string | null },
  asked: Pick<StoredTrace, "monitor" | "patternIds"> = { monitor: null, patternIds: null },
): string {
  const described: StoredTrace = {
    projectId,
    traceId: row.id,
    agentId: row.agentId,
    name: row.name,
    createdAt: new Date(row.createdAtMs).toISOString(),
    trafficSource: row.source,
    monitor: (row.flags & unmonitoredFlag) === 0 ? asked.monitor : false,
    patternIds: asked.patternIds,
  };
  return JSON.stringify(described);
}
