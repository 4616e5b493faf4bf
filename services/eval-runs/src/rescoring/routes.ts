import { type rescoreRunReply, routes } from "@touchstone/contracts";
import { createLimitInHand, type Handler, requireProject, type ServedRoute } from "@touchstone/service-kit";
import type { z } from "zod";
import type { ResultStore } from "../results/result-store.ts";
import { type RunStore, requireRun } from "../runs/run-store.ts";
import { computeLiveStatistics } from "../statistics/result-tally.ts";
import { type RescoringDependencies, rescoreRun as rescore } from "./rescore-run.ts";

/** Judges the skipped results of a run again. */
export function rescoringRoutes(
  dependencies: RescoringDependencies & { runs: RunStore; results: ResultStore },
): ServedRoute[] {
  return [{ route: routes.rescoreRun, handle: rescoreRun(dependencies) }];
}

/** Concurrent rescorings per process. */
const inHandMax = 100;

/** POST /custom-agent-evaluations/runs/{runId}/rescore (completions 5.11): judges skipped results again. */
function rescoreRun(dependencies: RescoringDependencies & { runs: RunStore; results: ResultStore }): Handler {
  const { runs, results } = dependencies;
  const limit = createLimitInHand(inHandMax, "Too many runs are being rescored at the moment; retry.");
  return async (call) => {
    const projectId = requireProject(call);
    const run = await requireRun(runs, projectId, call.params.runId);
    const { organizationId } = call.identity;
    const rescored = await limit(() => rescore(dependencies, { projectId, organizationId, run }));
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
