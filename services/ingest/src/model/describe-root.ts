import type { StoredTrace } from "@touchstone/contracts";
import type { SpanRow } from "./span-row.ts";

/** The JSON of a root in `event.traces.stored.v1`. OTLP cannot request monitoring. */
export function describeRoot(
  projectId: string,
  row: Pick<SpanRow, "id" | "agentId" | "name" | "createdAtMs"> & { source: string | null },
  asked: Pick<StoredTrace, "monitor" | "patternIds"> = { monitor: null, patternIds: null },
): string {
  const described: StoredTrace = {
    projectId,
    traceId: row.id,
    agentId: row.agentId,
    name: row.name,
    createdAt: new Date(row.createdAtMs).toISOString(),
    trafficSource: row.source,
    monitor: asked.monitor,
    patternIds: asked.patternIds,
  };
  return JSON.stringify(described);
}
