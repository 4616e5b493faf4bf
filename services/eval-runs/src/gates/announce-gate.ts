import { type Gate, gateRecorded } from "@touchstone/contracts";
import { enqueueEvent, type Queryable } from "@touchstone/db";

/** The content of the event for a recorded gate. */
export interface AnnouncedGate {
  id: string;
  gate: Pick<Gate, "runId" | "datasetId" | "passed" | "checks">;
  recordedAt: Date;
}

/** Announces a gate in the transaction that records it (completions 5.6). */
export async function announceGate(
  transaction: Queryable,
  projectId: string,
  { id, gate, recordedAt }: AnnouncedGate,
): Promise<void> {
  const { runId, datasetId, passed, checks } = gate;
  const body = {
    projectId,
    gateId: id,
    runId,
    datasetId,
    passed,
    failedChecks: checks.flatMap((check) => (check.passed ? [] : [check.detail])),
    recordedAt: recordedAt.toISOString(),
  };
  await enqueueEvent(transaction, "evals", { event: gateRecorded, body });
}
