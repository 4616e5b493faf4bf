import type { signal } from "@touchstone/contracts";
import type { z } from "zod";
import type { IngestClient } from "../../ingest-client.ts";
import { renderSignal } from "../../signals/render-signal.ts";
import type { StoredSignal } from "../../signals/stored-signal.ts";

/** Signals with the names of their agents, which ingest keeps. */
export async function showSignals(
  ingest: Pick<IngestClient, "findAgents">,
  projectId: string,
  signals: readonly StoredSignal[],
): Promise<z.input<typeof signal>[]> {
  const ids = [...new Set(signals.flatMap(({ agentId }) => (agentId === null ? [] : [agentId])))];
  const agents = ids.length === 0 ? [] : await ingest.findAgents(projectId, ids);
  const names = new Map(agents.map(({ id, name }) => [id, name]));
  return signals.map((each) => renderSignal(each, names));
}
