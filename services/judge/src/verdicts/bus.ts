import type { Answering, Bus } from "@touchstone/bus";
import { readVerdictRecord } from "@touchstone/contracts";
import type { ReadVerdictRecord } from "./verdict-store.ts";

/** Answers `svc.judge.read-verdict-record.v1`: a judge's prompt and its reply (decision 43). */
export function answerReadVerdictRecord(
  bus: Bus,
  { readRecord }: { readRecord: ReadVerdictRecord },
  options: { concurrency: number },
): Promise<Answering> {
  return bus.answer(
    readVerdictRecord,
    async ({ projectId, verdictId }) => ({ verdict: await readRecord(projectId, verdictId) }),
    options,
  );
}
