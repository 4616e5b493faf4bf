import { type finalizeRunReply, isUuid, limits, type missingResults, routes } from "@touchstone/contracts";
import {
  AppError,
  actOf,
  type Clock,
  type Handler,
  parseBody,
  readJsonObject,
  readParameter,
  requireProject,
  type ServedRoute,
} from "@touchstone/service-kit";
import type { z } from "zod";
import type { DatasetStore } from "../datasets/dataset-store.ts";
import type { ConfigStore } from "../graders/config-store.ts";
import type { GroupStore } from "../graders/group-store.ts";
import type { MemberReader } from "../graders/member-reader.ts";
import { answerPieces } from "../json/answer-pieces.ts";
import { type Query, readAllOrNone } from "../queries/read-query.ts";
import type { AwaitedOutputs } from "../results/awaited-outputs.ts";
import type { BatchScorer } from "../results/batch-scorer.ts";
import type { ResultStore } from "../results/result-store.ts";
import { computeLiveStatistics, countResults } from "../statistics/result-tally.ts";
import { type CountingDependencies, countRun } from "./count-runs.ts";
import { createRun } from "./create-run.ts";
import type { DatasetNames } from "./dataset-name-reader.ts";
import { type FinalizingDependencies, finalizeRun as finalize, type RefuseCiRun } from "./finalize-run.ts";
import type { Gradings } from "./gradings.ts";
import { createKnownIntervals, type KnownIntervals } from "./known-intervals.ts";
import { listResults } from "./list-results.ts";
import { listRuns } from "./list-runs.ts";
import type { VariantDependencies } from "./make-variants.ts";
import { findMissingResults } from "./missing-results.ts";
import { renderRun, renderRunAlone } from "./render-run.ts";
import { type RunStore, requireRun } from "./run-store.ts";
import type { RunStreams } from "./run-streams.ts";
import { createRunShower, type IsCiRun, type RunShower } from "./show-runs.ts";
import { submitResults } from "./submit-results.ts";

interface RunRouteDependencies extends FinalizingDependencies {
  datasets: DatasetStore;
  results: ResultStore;
  gradings: Gradings;
  configs: ConfigStore;
  groups: GroupStore;
  members: MemberReader;
  names: DatasetNames;
  runStreams: RunStreams;
  scorer: BatchScorer;
  clock: Clock;
  variants: VariantDependencies;
  refuseCiRun: RefuseCiRun;
  isCiRun: IsCiRun;
  awaited: AwaitedOutputs;
}

/** Runs and their results. */
export function runRoutes(dependencies: RunRouteDependencies): ServedRoute[] {
  const { datasets, runs, results, gradings, configs, groups, members, names, runStreams, scorer } = dependencies;
  const { database, batchMs, signal, clock, variants, refuseCiRun, isCiRun, awaited } = dependencies;
  const intervals = createKnownIntervals();
  const shower = createRunShower({ names, gradings, isCiRun });
  return [
    {
      route: routes.createRun,
      handle: createRun({ datasets, runs, gradings, configs, groups, members, clock, variants }),
    },
    { route: routes.listRuns, handle: listRuns({ database, runs, results, shower, intervals }) },
    { route: routes.getRun, handle: getRun({ database, runs, results, gradings, awaited, shower, intervals }) },
    { route: routes.deleteRun, handle: deleteRun({ runs }) },
    { route: routes.streamRun, handle: streamRun({ runs, runStreams }) },
    { route: routes.submitResults, handle: submitResults({ runs, results, gradings, groups, refuseCiRun, scorer }) },
    { route: routes.listResults, handle: listResults({ runs, results, gradings, awaited }) },
    { route: routes.listMissingResults, handle: listMissingResults({ runs, results, gradings, isCiRun }) },
    { route: routes.finalizeRun, handle: finalizeRun({ runs, results, refuseCiRun, database, batchMs, signal }) },
  ];
}

/**
 * GET /custom-agent-evaluations/runs/{runId} (completions 5.5): reads one page of its results at a time, however many there
 * are.
 */
export function getRun({
  runs,
  awaited,
  shower,
  intervals,
  ...counting
}: CountingDependencies & {
  runs: RunStore;
  results: ResultStore;
  gradings: Gradings;
  awaited: AwaitedOutputs;
  shower: RunShower;
  intervals: KnownIntervals;
}): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const withResults = readAllOrNone(call.query, "results");
    const withCaseStatistics = readAllOrNone(call.query, "caseStatistics");
    const run = await requireRun(runs, projectId, call.params.runId);
    await awaited.ofRun(projectId, run, call.identity.requestId);
    const [shown] = await shower.show(projectId, [run]);
    if (shown === undefined) throw new AppError("not_found", "Run not found");
    const { signal } = call;
    if (withResults) {
      const pages = counting.results.pages(projectId, run.id);
      return answerPieces(renderRun(shown, pages, { withCaseStatistics, signal }));
    }
    const counts = await countRun(counting, projectId, shown);
    const interval = await intervals.estimate(projectId, run, counts.caseRatings, signal);
    return { status: 200, body: renderRunAlone(shown, counts, interval, withCaseStatistics) };
  };
}

/** DELETE /custom-agent-evaluations/runs/{runId} (completions 5.5): with its results, analysis and gates. */
function deleteRun({ runs }: { runs: RunStore }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const { runId = "" } = call.params;
    const isGone = isUuid(runId) && (await runs.remove(projectId, runId, actOf(call.identity)));
    if (!isGone) throw new AppError("not_found", "Run not found");
    return { status: 200, body: { deleted: true } };
  };
}

/** GET /custom-agent-evaluations/runs/{runId}/stream: the run's progress as server-sent events (completions 1.8). */
function streamRun({ runs, runStreams }: { runs: RunStore; runStreams: RunStreams }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const run = await requireRun(runs, projectId, call.params.runId);
    return {
      status: 200,
      body: runStreams.open(projectId, run.id),
      contentType: "text/event-stream",
      headers: { "cache-control": "no-cache" },
    };
  };
}

/** GET /custom-agent-evaluations/runs/{runId}/missing-results (completions 5.5): for clients that resume a run. */
function listMissingResults({
  runs,
  results,
  gradings,
  isCiRun,
}: {
  runs: RunStore;
  isCiRun: IsCiRun;
  results: ResultStore;
  gradings: Gradings;
}): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const shown = readQuestions(call.query);
    const run = await requireRun(runs, projectId, call.params.runId);
    const { cases, numberOfRequests: repetitions } = await gradings.ofRun(projectId, run);
    // A trace that is graded alone answers no question.
    const asked = run.runSource === "trace-eval" ? 0 : cases.length;
    const numberOfRequests = (await isCiRun(projectId, run)) ? 1 : repetitions;
    const keys = await results.listKeys(projectId, run.id);
    const reply: z.input<typeof missingResults> = {
      runId: run.id,
      submittedKeys: keys.map(({ idempotencyKey }) => idempotencyKey),
      submittedCount: keys.length,
      missing: findMissingResults(run.id, { cases: asked, numberOfRequests }, keys).map((missing, index) => {
        const asked = index < shown ? cases[missing.questionIndex] : undefined;
        return asked === undefined
          ? missing
          : { ...missing, question: { query: asked.query, followUps: [...asked.followUps] } };
      }),
    };
    return { status: 200, body: reply };
  };
}

/** The number of missing results that come with their question. */
function readQuestions(query: Query): number {
  const text = readParameter(query, "questions") ?? "0";
  if (/^\d{1,9}$/.test(text) && Number(text) <= limits.missingQuestionsMax) return Number(text);
  throw new AppError("bad_request", `questions must be a number between 0 and ${limits.missingQuestionsMax}`);
}

/** POST /custom-agent-evaluations/runs/{runId}/finalize (completions 5.4). */
function finalizeRun({
  results,
  refuseCiRun,
  ...finalizing
}: FinalizingDependencies & { results: ResultStore; refuseCiRun: RefuseCiRun }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const { runId = "" } = call.params;
    const { status } = parseBody((await readJsonObject(call)).value, routes.finalizeRun.body);
    if (isUuid(runId)) await refuseCiRun(projectId, runId);
    const run = isUuid(runId) ? await finalize(finalizing, { projectId, runId, status: status ?? "completed" }) : null;
    const progress = run && (await results.readProgress(projectId, runId));
    if (run === null || progress === null) throw new AppError("not_found", "Run not found");

    const liveStatistics = computeLiveStatistics(progress.tallies);
    const reply: z.input<typeof finalizeRunReply> = {
      runId,
      _id: runId,
      datasetId: run.datasetId,
      status: progress.status,
      resultCount: countResults(progress.tallies),
      averageRating: liveStatistics.averageRating,
      liveStatistics,
    };
    return { status: 200, body: reply };
  };
}
