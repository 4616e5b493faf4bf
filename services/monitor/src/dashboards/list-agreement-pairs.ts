import type { agreementPairs } from "@touchstone/contracts";
import { type Clock, type Handler, requireProject } from "@touchstone/service-kit";
import type { z } from "zod";
import type { IngestClient } from "../ingest-client.ts";
import { previewOf } from "../model/finding.ts";
import { readCappedCount } from "../model/read-page.ts";
import type { AgreementCell, LabelledTrace, PairReader } from "./pair-reader.ts";
import { agreementSince } from "./read-agreement.ts";
import { readCell, readPosition, readScorerKey, readVersion, writePosition } from "./read-agreement-query.ts";

type Pair = z.input<typeof agreementPairs>["pairs"][number];

/** GET /agent-monitoring/calibration/{scorerKey}/pairs: the traces behind the agreement table. */
export function listAgreementPairs({
  agreement,
  ingest,
  clock,
}: {
  agreement: Pick<PairReader, "list">;
  ingest: Pick<IngestClient, "readTrace">;
  clock: Clock;
}): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const { version, cell, limit, cursor } = call.query;
    const scorerKey = readScorerKey(call);
    const filter = { since: agreementSince(clock), version: readVersion(version), cell: readCell(cell) };
    const page = { limit: readCappedCount("limit", limit), after: readPosition(cursor) };
    // One extra row shows if another page follows.
    const found =
      scorerKey === null
        ? []
        : await agreement.list(projectId, { ...filter, scorerKey }, { ...page, limit: page.limit + 1 });
    const listed = found.slice(0, page.limit);
    const last = listed.at(-1);
    const body: z.input<typeof agreementPairs> = {
      pairs: await Promise.all(
        listed.map(async (pair) => {
          const trace = await ingest.readTrace(projectId, pair.traceId);
          return showPair(pair, { input: trace?.input ?? null, output: trace?.output ?? null });
        }),
      ),
      nextCursor: found.length > listed.length && last !== undefined ? writePosition(last.position) : null,
    };
    return { status: 200, body };
  };
}

function showPair(pair: LabelledTrace, { input, output }: { input: string | null; output: string | null }): Pair {
  const { position: _, scorerFails, personFails, judgedAt, labelledAt, ...shown } = pair;
  return {
    ...shown,
    cell: cellOf(scorerFails, personFails),
    judgedAt: judgedAt.toISOString(),
    labelledAt: labelledAt.toISOString(),
    input: previewOf(input),
    output: previewOf(output),
  };
}

function cellOf(scorerFails: boolean, personFails: boolean): AgreementCell {
  if (scorerFails) return personFails ? "bothFail" : "onlyScorerFails";
  return personFails ? "onlyPersonFails" : "bothPass";
}
