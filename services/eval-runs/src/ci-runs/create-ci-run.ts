import type { createdCiRun } from "@touchstone/contracts";
import { AppError, type Clock, type Handler, requireProject, requireWorkspace, uuidv7 } from "@touchstone/service-kit";
import type { z } from "zod";
import type { DatasetStore } from "../datasets/dataset-store.ts";
import { whileVersionsChange } from "../datasets/version-gone.ts";
import { writePlan } from "../grading/plan.ts";
import type { Gradings } from "../runs/gradings.ts";
import { readCiBody, requireCiDataset } from "./ci-request.ts";
import type { CiRunStore } from "./ci-run-store.ts";
import { composeSubject, readSubmittedCiRun, type SubmittedCiRun } from "./submitted-ci-run.ts";

/**
 * POST /ingest/ci-runs (completions 8.2). The CI run keeps the current dataset version, its grading and its criteria: later
 * edits do not change it.
 */
export function createCiRun({
  datasets,
  gradings,
  ciRuns,
  clock,
}: {
  datasets: DatasetStore;
  gradings: Pick<Gradings, "ofDataset">;
  ciRuns: CiRunStore;
  clock: Clock;
}): Handler {
  async function makeRun(projectId: string, submitted: SubmittedCiRun) {
    const { dataset, settings } = await requireCiDataset(datasets, projectId, submitted.datasetId);
    const { plan, cases } = await gradings.ofDataset(projectId, dataset.id, dataset.version);
    if (cases.length === 0) throw new AppError("bad_request", "Dataset has no questions");

    const passRateThreshold = submitted.passRateThreshold ?? settings.passRateThreshold;
    const now = clock.now();
    const id = uuidv7(now);
    const expiresAt = await ciRuns.insert(projectId, {
      agentName: submitted.agentName,
      gitContext: submitted.gitContext,
      settings: { ...settings, passRateThreshold, totalQuestions: cases.length },
      run: {
        id,
        datasetId: dataset.id,
        datasetVersion: dataset.version,
        evaluationSettingsId: null,
        scorerGroupId: null,
        additionalScorerIds: null,
        verdictMode: "live",
        smokeTestVariants: null,
        evaluationSubject: composeSubject(submitted),
        runSource: "ci",
        sdk: null,
        plan: writePlan(plan),
        createdAt: new Date(now),
      },
    });

    const reply: z.input<typeof createdCiRun> = {
      run_id: id,
      dataset_id: dataset.id,
      agent_id: null,
      total_questions: cases.length,
      pass_rate_threshold: passRateThreshold,
      test_cases: settings.exposesInputs ? cases.map(({ query }, index) => ({ index, query })) : [],
      expires_at: expiresAt.toISOString(),
    };
    return reply;
  }

  return async (call) => {
    const projectId = requireProject(call);
    const body = await readCiBody(call);
    const submitted = readSubmittedCiRun(body);
    requireWorkspace(call, body.value.workspaceId);
    const reply = await whileVersionsChange(() => makeRun(projectId, submitted));
    return { status: 201, body: reply };
  };
}
