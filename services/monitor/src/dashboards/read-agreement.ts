import type { calibration } from "@touchstone/contracts";
import type { Clock } from "@touchstone/service-kit";
import type { z } from "zod";
import type { AgreementReader } from "./agreement-reader.ts";
import { pairsMin } from "./cohen-kappa.ts";
import { composeAgreement } from "./compose-agreement.ts";

/** Enough for many pairs, and recent enough to describe the scorers as they are now. */
const readDays = 90;
const dayMs = 86_400_000;

/** What people said from then on counts. */
export const agreementSince = (clock: Clock): Date => new Date(clock.now() - readDays * dayMs);

/** How far live scorers agree with people, by what people said in the last 90 days; null reads all scorers. */
export async function readAgreement(
  { agreement, clock }: { agreement: AgreementReader; clock: Clock },
  projectId: string,
  scorerKey: string | null,
): Promise<z.input<typeof calibration>> {
  const since = agreementSince(clock);
  const tallies = await agreement.tally(projectId, since, scorerKey);
  return { since: since.toISOString(), minPairs: pairsMin, scorers: tallies.map(composeAgreement) };
}
