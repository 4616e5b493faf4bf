import type { agreementSample } from "@touchstone/contracts";
import { type Clock, type Handler, requireProject } from "@touchstone/service-kit";
import type { z } from "zod";
import type { IngestClient } from "../ingest-client.ts";
import type { PairReader } from "./pair-reader.ts";
import { agreementSince } from "./read-agreement.ts";
import { readCount, readScorerKey, readVersion } from "./read-agreement-query.ts";

/** The number of traces drawn per requested one: traces expire before their ratings. */
const spare = 2;

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
    const count = readCount("n", call.query.n);
    const version = readVersion(call.query.version);
    const scorerKey = readScorerKey(call);
    const drawn =
      scorerKey === null
        ? { traceIds: [], unlabelled: 0 }
        : await agreement.draw(projectId, { scorerKey, version, since: agreementSince(clock) }, count * spare);
    const areThere = await Promise.all(drawn.traceIds.map((traceId) => ingest.hasTrace(projectId, traceId)));
    const there = drawn.traceIds.filter((_, index) => areThere[index]);
    const body: z.input<typeof agreementSample> = {
      traces: there.slice(0, count).map((traceId) => ({ traceId })),
      unlabelled: drawn.unlabelled,
    };
    return { status: 200, body };
  };
}
