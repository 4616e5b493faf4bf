import type { Clock, Handler } from "@touchstone/service-kit";
import { requireProject } from "@touchstone/service-kit";
import type { AgreementReader } from "../../dashboards/agreement-reader.ts";
import { readAgreement } from "../../dashboards/read-agreement.ts";

/** GET /agent-monitoring/calibration (completions 9.5): of every live scorer. */
export function readCalibration(dependencies: { agreement: AgreementReader; clock: Clock }): Handler {
  return async (call) => ({ status: 200, body: await readAgreement(dependencies, requireProject(call), null) });
}
