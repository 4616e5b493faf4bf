import { type datasetTestCases, routes } from "@touchstone/contracts";
import {
  AppError,
  endOfPage,
  type Handler,
  memberValue,
  requireProject,
  type ServedRoute,
} from "@touchstone/service-kit";
import type { z } from "zod";
import type { DatasetStore } from "../datasets/dataset-store.ts";
import { answerPieces } from "../json/answer-pieces.ts";
import type { BatchScorer } from "../results/batch-scorer.ts";
import type { Gradings } from "../runs/gradings.ts";
import type { RunStore } from "../runs/run-store.ts";
import { readVerdictQuery } from "../runs/verdict-query.ts";
import { readCiBody, requireCiDataset, requireCiRun, runExpired } from "./ci-request.ts";
import { type CiRunStore, stateOf } from "./ci-run-store.ts";
import { createCiRun } from "./create-ci-run.ts";
import { type CiFinalizingDependencies, finalizeCiRun as finalize } from "./finalize-ci-run.ts";
import { renderCiRun, renderCiRunDetail, renderVerdict } from "./render-ci-run.ts";
import { submitCiResults } from "./submit-ci-results.ts";

/** The routes for pipelines (completions 8). */
export function ciRunRoutes(
  dependencies: CiFinalizingDependencies & {
    datasets: DatasetStore;
    gradings: Gradings;
    scorer: BatchScorer;
  },
): ServedRoute[] {
  const { datasets, gradings, results, scorer, ciRuns, database, runs, batchMs, signal, clock } = dependencies;
  const finalizing = { ciRuns, database, runs, results, batchMs, signal, clock };
  return [
    { route: routes.createCiRun, handle: createCiRun({ datasets, gradings, ciRuns, clock }) },
    { route: routes.listCiRuns, handle: listCiRuns({ ciRuns }) },
    { route: routes.getCiRun, handle: getCiRun({ ciRuns, runs, gradings }) },
    { route: routes.submitCiResults, handle: submitCiResults({ ...finalizing, gradings, scorer }) },
    { route: routes.finalizeCiRun, handle: finalizeCiRun({ ...finalizing, gradings }) },
    { route: routes.listTestCases, handle: listTestCases({ datasets, gradings }) },
  ];
}

/** GET /ingest/ci-runs (completions 8.4): newest first. A malformed dataset id matches nothing. */
function listCiRuns({ ciRuns }: { ciRuns: CiRunStore }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const query = readVerdictQuery(call);
    const [page, totalCount] = await Promise.all([
      ciRuns.list(projectId, query),
      ciRuns.count(projectId, query.filter),
    ]);
    const { hasNextPage, nextCursor, truncatedBy } = endOfPage(page, ({ id }) => id);
    const rest = {
      total_count: totalCount,
      has_next_page: hasNextPage,
      next_cursor: nextCursor,
      ...(truncatedBy !== undefined && { truncated_by: truncatedBy }),
    };
    const texts = page.rows.map((ciRun) => renderCiRun(ciRun));
    return { status: 200, body: `{"ci_runs":[${texts.join(",")}],${JSON.stringify(rest).slice(1)}` };
  };
}

/** GET /ingest/ci-runs/{ciRunId} (completions 8.4). */
function getCiRun({
  ciRuns,
  runs,
  gradings,
}: {
  ciRuns: CiRunStore;
  runs: Pick<RunStore, "find">;
  gradings: Pick<Gradings, "ofRun">;
}): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const ciRun = await requireCiRun(ciRuns, projectId, call.params.ciRunId);
    const run = ciRun.verdict?.violations.length ? await runs.find(projectId, ciRun.id) : null;
    const cases = run === null ? [] : (await gradings.ofRun(projectId, run)).cases;
    return { status: 200, body: renderCiRunDetail(ciRun, cases) };
  };
}

/** POST /ingest/ci-runs/{ciRunId}/finalize (completions 8.4): every caller receives the one stored verdict. */
function finalizeCiRun({ gradings, ...finalizing }: CiFinalizingDependencies & { gradings: Gradings }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const { ciRunId } = call.params;
    await readCiBody(call);
    let ciRun = await requireCiRun(finalizing.ciRuns, projectId, ciRunId);
    const state = stateOf(ciRun);
    if (state === "expired") throw runExpired();
    if (state !== "decided") {
      await finalize(finalizing, { projectId, ciRun });
      ciRun = await requireCiRun(finalizing.ciRuns, projectId, ciRunId);
      // It expired first.
      if (stateOf(ciRun) === "expired") throw runExpired();
    }
    const { verdict, finalizedAt } = ciRun;
    if (verdict === null || finalizedAt === null) {
      throw new AppError("service_unavailable", "The run is still being finalized; retry.");
    }
    const run = await finalizing.runs.find(projectId, ciRun.id);
    const cases = run === null ? [] : (await gradings.ofRun(projectId, run)).cases;
    const pages = finalizing.results.pages(projectId, ciRun.id);
    return answerPieces(renderVerdict({ ...ciRun, verdict, finalizedAt }, pages, cases));
  };
}

/** GET /ingest/datasets/{datasetId}/test-cases (completions 8.5). */
function listTestCases({
  datasets,
  gradings,
}: {
  datasets: DatasetStore;
  gradings: Pick<Gradings, "ofDataset">;
}): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const { dataset, settings } = await requireCiDataset(datasets, projectId, call.params.datasetId ?? "");
    const { cases } = await gradings.ofDataset(projectId, dataset.id, dataset.version);
    const name = memberValue(dataset.document, "name") as string;
    const reply: z.input<typeof datasetTestCases> = {
      dataset_id: dataset.id,
      name,
      total_questions: cases.length,
      test_cases: cases.map(({ query }, index) => ({ index, query: settings.exposesInputs ? query : null })),
      ci: { enabled: true, pass_rate_threshold: settings.passRateThreshold },
    };
    return { status: 200, body: reply };
  };
}
