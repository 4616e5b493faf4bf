import { type createRunReply, limits } from "@touchstone/contracts";
import { AppError, type Clock, type Handler, isUuid, uuidv7 } from "@touchstone/service-kit";
import type { z } from "zod";
import type { DatasetStore } from "../../datasets/dataset-store.ts";
import { requireGraders } from "../../runs/run-graders.ts";
import type { RunStore } from "../../runs/run-store.ts";
import { readSubmittedRun } from "../../runs/submitted-run.ts";
import { readJsonObject } from "../read-json-object.ts";
import { requireProject, requireWorkspace } from "../require-project.ts";

/** What clients keep to when they fill a batch; the two sizes are advice, nothing is cut (completions 5.1). */
const clientLimits = {
  maxBatchSize: limits.resultsPerBatchMax,
  maxTraceBytesPerResult: 20_000,
  maxMetadataBytesPerResult: 4_000,
};

/**
 * POST /custom-agent-evaluations/runs (completions 5.1). The run keeps the dataset's version of this moment: a later
 * edit changes no run.
 */
export function createRun({
  datasets,
  runs,
  clock,
}: {
  datasets: DatasetStore;
  runs: RunStore;
  clock: Clock;
}): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const body = await readJsonObject(call);
    const { datasetId, graders, ...submitted } = readSubmittedRun(body);
    requireWorkspace(body.value.workspaceId, projectId);
    const datasetVersion = isUuid(datasetId) ? await datasets.findVersion(projectId, datasetId) : null;
    if (datasetVersion === null) throw new AppError("not_found", "Dataset not found");
    requireGraders(graders);

    const now = clock.now();
    const id = uuidv7(now);
    await runs.insert(projectId, { ...submitted, id, datasetId, datasetVersion, createdAt: new Date(now) });

    const reply: z.input<typeof createRunReply> = {
      _id: id,
      runId: id,
      datasetId,
      evaluationSettingsId: null,
      scorerGroupId: null,
      additionalScorerIds: null,
      status: "in_progress",
      smokeTestVariants: null,
      limits: clientLimits,
    };
    return { status: 201, body: reply };
  };
}
