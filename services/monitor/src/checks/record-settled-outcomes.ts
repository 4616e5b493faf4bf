import { announceJudgedTraces } from "../judging/verdict-store.ts";
import { recordOperational } from "../operational/record-operational.ts";
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
