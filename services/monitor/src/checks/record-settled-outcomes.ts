import { recordOperational } from "../traces/record-operational.ts";
import { announceJudgedTraces } from "../verdicts/verdict-store.ts";
import type { AlsoRecord } from "./check-planner.ts";

/** How settled traces ended: an event of each failure they show by themselves, and word to ingest where that changed. */
export const recordSettledOutcomes: AlsoRecord = async (
  transaction,
  projectId,
  traces,
  { isFresh, isReclassified },
) => {
  await recordOperational(transaction, traces, isFresh);
  await announceJudgedTraces(transaction, projectId, traces.filter(isReclassified));
};
