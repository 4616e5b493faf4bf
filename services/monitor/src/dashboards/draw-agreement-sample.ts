import type { agreementSample } from "@touchstone/contracts";
import { type Clock, type Handler, requireProject } from "@touchstone/service-kit";
import type { z } from "zod";
import type { IngestClient } from "../ingest-client.ts";
import { readCappedCount } from "../model/read-page.ts";
import type { PairReader } from "./pair-reader.ts";
import { agreementSince } from "./read-agreement.ts";
import { readScorerKey, readVersion } from "./read-agreement-query.ts";

/** Ratings drawn for one sample: traces expire before their ratings, so most of them may be without a trace. */
const drawnMax = 2_500;
/** The most traces looked up at once. */
const lookUpsMax = 100;

/** GET /agent-monitoring/calibration/{scorerKey}/sample: a random sample of traces to label. */
export function drawAgreementSample({
  agreement,
  ingest,
  clock,
}: {
  agreement: Pick<PairReader, "draw">;
  ingest: Pick<IngestClient, "hasTrace">;
  clock: Clock;
}): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const count = readCappedCount("n", call.query.n);
    const version = readVersion(call.query.version);
    const scorerKey = readScorerKey(call);
    const drawn =
      scorerKey === null
        ? { traceIds: [], unlabelled: 0 }
        : await agreement.draw(projectId, { scorerKey, version, since: agreementSince(clock) }, drawnMax);
    const there = await findThere(drawn.traceIds, count, (traceId) => ingest.hasTrace(projectId, traceId));
    const body: z.input<typeof agreementSample> = {
      traces: there.map((traceId) => ({ traceId })),
      unlabelled: drawn.unlabelled,
    };
    return { status: 200, body };
  };
}

/** The first `count` of the traces that are still there. Each round looks up more of them, as most are missing. */
async function findThere(
  traceIds: readonly string[],
  count: number,
  isThere: (traceId: string) => Promise<boolean>,
): Promise<string[]> {
  const there: string[] = [];
  let lookUps = 2 * count;
  for (let from = 0; from < traceIds.length && there.length < count; ) {
    const some = traceIds.slice(from, from + lookUps);
    const areThere = await Promise.all(some.map(isThere));
    there.push(...some.filter((_, index) => areThere[index]));
    from += some.length;
    lookUps = Math.min(2 * lookUps, lookUpsMax);
  }
  return there.slice(0, count);
}
