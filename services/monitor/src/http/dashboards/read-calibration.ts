import type { calibration } from "@touchstone/contracts";
import type { Clock, Handler } from "@touchstone/service-kit";
import type { z } from "zod";
import type { AgreementReader } from "../../agreement/agreement-reader.ts";
import { pairsMin } from "../../agreement/cohen-kappa.ts";
import { composeAgreement } from "../../agreement/compose-agreement.ts";
import { requireProject } from "../require-project.ts";

/** Enough for many pairs, and not of another time. */
const readDays = 90;
const dayMs = 86_400_000;

/** GET /agent-monitoring/calibration (completions 9.5): of what people said in the last 90 days. */
export function readCalibration({ agreement, clock }: { agreement: AgreementReader; clock: Clock }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const since = new Date(clock.now() - readDays * dayMs);
    const tallies = await agreement.tally(projectId, since);
    const body: z.input<typeof calibration> = {
      since: since.toISOString(),
      minPairs: pairsMin,
      scorers: tallies.map(composeAgreement),
    };
    return { status: 200, body };
  };
}
