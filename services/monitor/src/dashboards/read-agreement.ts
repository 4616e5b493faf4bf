import type { calibration } from "@touchstone/contracts";
import type { Clock } from "@touchstone/service-kit";
import type { z } from "zod";
import type { AgreementReader } from "./agreement-reader.ts";
import { pairsMin } from "./cohen-kappa.ts";
import { composeAgreement } from "./compose-agreement.ts";

/** Long enough for many pairs, and recent enough to describe the current scorers. */
const readDays = 90;
const dayMs = 86_400_000;

/** The earliest time of labels that count. */
export const agreementSince = (clock: Clock): Date => new Date(clock.now() - readDays * dayMs);

/** The agreement of live scorers with people, by labels of the last 90 days; null reads all scorers. */
export async function readAgreement(
  { agreement, clock }: { agreement: AgreementReader; clock: Clock },
  projectId: string,
  scorerKey: string | null,
): Promise<z.input<typeof calibration>> {
  const since = agreementSince(clock);
  const tallies = await agreement.tally(projectId, since, scorerKey);
  return { since: since.toISOString(), minPairs: pairsMin, scorers: tallies.map(composeAgreement) };
}
