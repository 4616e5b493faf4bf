import type { recordedGates } from "@touchstone/contracts";
import { endOfPage, type Handler, requireProject } from "@touchstone/service-kit";
import type { z } from "zod";
import type { GateStore } from "../../gates/gate-store.ts";
import { readAllOrNone } from "../../queries/read-query.ts";
import type { DatasetNames } from "../../runs/dataset-names.ts";
import { readVerdictQuery } from "../../runs/verdict-query.ts";

/** GET /evaluate/ci/gates (completions 5.6): the verdicts that were kept, newest first. */
export function listGates({ gates, names }: { gates: GateStore; names: DatasetNames }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const query = { ...readVerdictQuery(call), withCiRuns: readAllOrNone(call.query, "ciRuns") };
    const [page, totalCount] = await Promise.all([
      gates.listRecorded(projectId, query),
      gates.countRecorded(projectId, query),
    ]);
    const named = await names.find(
      projectId,
      page.rows.map(({ datasetId }) => datasetId),
    );
    const reply: z.input<typeof recordedGates> = {
      gates: page.rows.map(({ id, gate, createdAt, ...kept }) => ({
        _id: id,
        ...kept,
        datasetName: named.get(kept.datasetId) ?? null,
        averageRating: gate.averageRating,
        baselineAverage: gate.baselineAverage,
        checks: gate.checks,
        createdAt: createdAt.toISOString(),
      })),
      totalCount,
      ...endOfPage(page, ({ id }) => id),
    };
    return { status: 200, body: reply };
  };
}
