import { type rescoreRunReply, routes } from "@touchstone/contracts";
import {
  AppError,
  createLimitInHand,
  type Handler,
  parseBody,
  readJsonObject,
  requireProject,
  type ServedRoute,
} from "@touchstone/service-kit";
import type { z } from "zod";
import { externalSource } from "../judging/judgement.ts";
import type { AwaitedOutputs } from "../results/awaited-outputs.ts";
import type { ResultStore } from "../results/result-store.ts";
import { composeGrading, type GraderStores, type RunGrading } from "../runs/find-graders.ts";
import { type RunStore, requireRun, type StoredRun } from "../runs/run-store.ts";
import { type NamedGraders, readNamedGraders } from "../runs/submitted-run.ts";
import { computeLiveStatistics } from "../statistics/result-tally.ts";
import { type RescoringDependencies, rescoreRun as rescore } from "./rescore-run.ts";

/** Judges the skipped results of a run again. */
export function rescoringRoutes(dependencies: RouteDependencies): ServedRoute[] {
  return [{ route: routes.rescoreRun, handle: rescoreRun(dependencies) }];
}

interface RouteDependencies extends RescoringDependencies, GraderStores {
  runs: RunStore;
  results: ResultStore;
  awaited: AwaitedOutputs;
}

/** Concurrent rescorings per process. */
const inHandMax = 100;

/** POST /custom-agent-evaluations/runs/{runId}/rescore (completions 5.11): judges skipped results again. */
function rescoreRun(dependencies: RouteDependencies): Handler {
  const { runs, results, awaited } = dependencies;
  const limit = createLimitInHand(inHandMax, "Too many runs are being rescored at the moment; retry.");
  return async (call) => {
    const projectId = requireProject(call);
    const graders = readNamedGraders(parseBody((await readJsonObject(call)).value, routes.rescoreRun.body));
    const run = await requireRun(runs, projectId, call.params.runId);
    const asked = await readAsked(dependencies, projectId, run, graders);
    const { organizationId, requestId } = call.identity;
    await awaited.ofRun(projectId, run, requestId);
    const rescored = await limit(() => rescore(dependencies, { projectId, organizationId, run, asked }));
    const [after, progress] = await Promise.all([
      requireRun(runs, projectId, run.id),
      results.readProgress(projectId, run.id),
    ]);
    const liveStatistics = computeLiveStatistics(progress?.tallies ?? []);
    const reply: z.input<typeof rescoreRunReply> = {
      runId: run.id,
      status: after.status,
      ...rescored,
      scoringRevision: after.scoringRevision,
      averageRating: liveStatistics.averageRating,
      liveStatistics,
    };
    return { status: 200, body: reply };
  };
}

/** Null: the request names no graders. */
async function readAsked(
  { gradings, ...stores }: GraderStores & Pick<RescoringDependencies, "gradings">,
  projectId: string,
  { runSource, datasetId, datasetVersion }: StoredRun,
  graders: NamedGraders,
): Promise<RunGrading | null> {
  const { evaluationSettingsId, scorerGroupId, additionalScorerIds } = graders;
  if (evaluationSettingsId === null && scorerGroupId === null && additionalScorerIds.length === 0) return null;
  if (runSource !== externalSource || datasetVersion === null) {
    throw new AppError("bad_request", "Only an external run takes other graders");
  }
  const { plan } = await gradings.ofDataset(projectId, datasetId, datasetVersion);
  return composeGrading(stores, projectId, plan, graders);
}
