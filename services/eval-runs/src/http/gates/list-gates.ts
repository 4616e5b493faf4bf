import type { recordedGates } from "@touchstone/contracts";
import type { Handler } from "@touchstone/service-kit";
import type { z } from "zod";
import type { GateStore } from "../../gates/gate-store.ts";
import { readVerdictQuery } from "../../gates/verdict-query.ts";
import { readAllOrNone } from "../read-query.ts";
import { requireProject } from "../require-project.ts";

/** GET /evaluate/ci/gates (completions 5.6): the verdicts that were kept, newest first. */
export function listGates({ gates }: { gates: GateStore }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const { limit, ...rest } = readVerdictQuery(call.query);
    const query = { ...rest, withCiRuns: readAllOrNone(call.query, "ciRuns") };
    const [found, totalCount] = await Promise.all([
      gates.listRecorded(projectId, { ...query, limit: limit + 1 }),
      gates.countRecorded(projectId, query),
    ]);
    const page = found.slice(0, limit);
    const hasNextPage = found.length > limit;
    const reply: z.input<typeof recordedGates> = {
      gates: page.map(({ id, gate, createdAt, ...kept }) => ({
        _id: id,
        ...kept,
        averageRating: gate.averageRating,
        baselineAverage: gate.baselineAverage,
        checks: gate.checks,
        createdAt: createdAt.toISOString(),
      })),
      totalCount,
      hasNextPage,
      nextCursor: hasNextPage ? (page.at(-1)?.id ?? null) : null,
    };
    return { status: 200, body: reply };
  };
}
