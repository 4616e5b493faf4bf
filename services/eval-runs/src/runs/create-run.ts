import { type createRunReply, isUuid, limits } from "@touchstone/contracts";
import {
  AppError,
  type Clock,
  type Handler,
  readJsonObject,
  requireProject,
  requireWorkspace,
  uuidv7,
} from "@touchstone/service-kit";
import type { z } from "zod";
import type { DatasetStore } from "../datasets/dataset-store.ts";
import { whileVersionsChange } from "../datasets/version-gone.ts";
import { composeGrading, type GraderStores } from "./find-graders.ts";
import type { Gradings } from "./gradings.ts";
import { makeVariants, type VariantDependencies } from "./make-variants.ts";
import type { RunStore } from "./run-store.ts";
import { readSubmittedRun } from "./submitted-run.ts";

/** Limits for clients that fill a batch; the two sizes are advice, nothing is truncated (completions 5.1). */
const clientLimits = {
  maxBatchSize: limits.resultsPerBatchMax,
  maxTraceBytesPerResult: 20_000,
  maxMetadataBytesPerResult: 4_000,
};

/**
 * POST /custom-agent-evaluations/runs (completions 5.1). The run keeps the current dataset version and grading: later edits do
 * not change it.
 */
export function createRun({
  datasets,
  runs,
  gradings,
  clock,
  variants,
  ...stores
}: GraderStores & {
  variants: VariantDependencies;
  datasets: DatasetStore;
  runs: RunStore;
  gradings: Gradings;
  clock: Clock;
}): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const body = await readJsonObject(call);
    const { datasetId, graders, ...submitted } = readSubmittedRun(body);
    requireWorkspace(call, body.value.workspaceId);
    const made = await whileVersionsChange(async () => {
      const datasetVersion = isUuid(datasetId) ? await datasets.findVersion(projectId, datasetId) : null;
      if (datasetVersion === null) throw new AppError("not_found", "Dataset not found");
      const grading = await gradings.ofDataset(projectId, datasetId, datasetVersion);
      const { plan, gradedBy } = await composeGrading(stores, projectId, grading.plan, graders);

      const { organizationId } = call.identity;
      // A replay calls no provider, and new paraphrases would have no verdicts.
      const paraphrased = submitted.verdictMode === "replay" ? [] : grading.cases;
      const smokeTestVariants = await makeVariants(variants, { projectId, organizationId }, paraphrased);

      const now = clock.now();
      const id = uuidv7(now);
      await runs.insert(projectId, {
        ...submitted,
        ...gradedBy,
        id,
        datasetId,
        datasetVersion,
        plan,
        smokeTestVariants: smokeTestVariants && JSON.stringify(smokeTestVariants),
        createdAt: new Date(now),
      });
      return { id, gradedBy, smokeTestVariants };
    });

    const reply: z.input<typeof createRunReply> = {
      _id: made.id,
      runId: made.id,
      datasetId,
      ...made.gradedBy,
      status: "in_progress",
      smokeTestVariants: made.smokeTestVariants,
      limits: clientLimits,
    };
    return { status: 201, body: reply };
  };
}
