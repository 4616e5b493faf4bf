import { isUuid, readVerdictRecord } from "@touchstone/contracts";
import { type Answer, AppError } from "@touchstone/service-kit";
import { type AskJudge, judgeBounds } from "./ask-judge.ts";

export type ReadVerdict = (projectId: string, verdictId: string) => Promise<Answer>;

/** `GET /verdicts/{verdictId}`: the record behind a verdict, which the judge stores (decision 43). */
export function createVerdictReader(askJudge: AskJudge): ReadVerdict {
  return async (projectId, verdictId) => {
    const { verdict } = isUuid(verdictId)
      ? await askJudge((bus) => bus.request(readVerdictRecord, { projectId, verdictId }, judgeBounds))
      : { verdict: null };
    if (verdict === null) throw new AppError("not_found", "Verdict record not found, or no longer kept");
    return { status: 200, body: verdict };
  };
}
