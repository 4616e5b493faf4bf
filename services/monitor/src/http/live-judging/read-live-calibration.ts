import type { Clock, Handler } from "@touchstone/service-kit";
import type { AgreementReader } from "../../dashboards/agreement-reader.ts";
import { readAgreement } from "../../dashboards/read-agreement.ts";
import type { JudgementReader } from "../../live-scorers/judgement-reader.ts";
import { requireScorerKey } from "./require-scorer-key.ts";

/** GET /monitor/online-evaluators/{onlineEvaluatorId}/calibration (completions 14): of one live scorer. */
export function readLiveCalibration(dependencies: {
  agreement: AgreementReader;
  judgements: JudgementReader;
  clock: Clock;
}): Handler {
  return async (call) => {
    const { projectId, scorerKey } = await requireScorerKey(call, dependencies.judgements);
    return { status: 200, body: await readAgreement(dependencies, projectId, scorerKey) };
  };
}
