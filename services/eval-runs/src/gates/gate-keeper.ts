import { type Gate, isUuid } from "@touchstone/contracts";
import { AppError, type Call, type Clock, runInSlices, uuidv7 } from "@touchstone/service-kit";
import { findScorer } from "../grading/plan.ts";
import type { IngestClient } from "../ingest-client.ts";
import type { ResultStore } from "../results/result-store.ts";
import { alignRatings, readPlaces } from "../runs/align-cases.ts";
import type { GradedRun, Gradings } from "../runs/gradings.ts";
import { type RunRatings, readRatings, scorerOf, summarizeRatings } from "../runs/run-ratings.ts";
import { type RunStore, revisionOfResults, type StoredRun } from "../runs/run-store.ts";
import { checkGate, roundAverage } from "./check-gate.ts";
import type { GateRequest } from "./gate-request.ts";
import type { GateStore } from "./gate-store.ts";
import { createMetricReader } from "./metric-values.ts";

export interface GateDependencies {
  results: ResultStore;
  ingest: IngestClient;
  runs: RunStore;
  gates: GateStore;
  gradings: Gradings;
  clock: Clock;
}

/** Who asks for a gate. */
type Asker = Pick<Call, "signal"> & { requestId: string };

/** What is gated: the ratings of one scorer, or a client's score. */
interface Gated {
  /** Null = the run's own rating. */
  scorerId: string | null;
  metric: string | null;
}

/** Decides on runs (completions 5.6). */
export interface GateKeeper {
  /**
   * Throws `not_found` for an unknown run or baseline, `bad_request` for an unknown scorer or metric or another dataset's
   * run, `service_unavailable` when the scores of clients cannot be read, and the signal's reason when the caller has gone.
   */
  decide(projectId: string, runId: string, request: GateRequest, asker: Asker): Promise<Gate>;
}

export function createGateKeeper({ results, ingest, runs, gates, gradings, clock }: GateDependencies): GateKeeper {
  const readMetricValues = createMetricReader({ results, ingest });

  async function findRun(projectId: string, runId: string): Promise<StoredRun> {
    const run = isUuid(runId) ? await runs.find(projectId, runId) : null;
    if (run === null) throw new AppError("not_found", "Run not found");
    return run;
  }

  /** Null: the run does not have the scorer, or has no score of the metric. */
  async function readGated(
    projectId: string,
    run: GradedRun & Pick<StoredRun, "status">,
    { scorerId, metric }: Gated,
    asker: Asker,
  ) {
    const read = { projectId, runId: run.id };
    const scorer = scorerId === null ? null : scorerOf(await gradings.planOf(projectId, run), scorerId);
    if (scorer?.isOfRun === false) return null;
    const rows =
      metric === null
        ? await readRatings(results, { ...read, scorer })
        : await readMetricValues({ ...read, ...asker, metric });
    return rows && { rows, ratings: summarizeRatings(run.id, run.status === "in_progress", rows) };
  }

  /** By the question indexes of the run, which may be of another version of the dataset. */
  async function align(
    projectId: string,
    run: StoredRun,
    baseline: Pick<GradedRun, "datasetVersion">,
    ratings: RunRatings,
  ): Promise<RunRatings> {
    const from = { datasetId: run.datasetId, datasetVersion: baseline.datasetVersion };
    return alignRatings(ratings, await readPlaces(gradings, projectId, [from, run]));
  }

  /** The pinned run, or the newest of the last completed ones that the scorer rated. */
  async function readBaseline(
    projectId: string,
    run: StoredRun,
    pinnedId: string | null,
    gated: Gated,
    asker: Asker,
  ): Promise<RunRatings | null> {
    if (pinnedId !== null) {
      const pinned = await findRun(projectId, pinnedId);
      if (pinned.datasetId !== run.datasetId) {
        throw new AppError("bad_request", "The baseline is a run of another dataset");
      }
      if (pinned.runSource === "trace-eval") {
        throw new AppError("bad_request", "The baseline is the evaluation of one trace");
      }
      const read = await readGated(projectId, pinned, gated, asker);
      if (read === null) throw withoutValues(gated, "the baseline");
      if (read.ratings.averageRating === null) throw new AppError("bad_request", "The baseline has no rated result");
      return align(projectId, run, pinned, read.ratings);
    }
    for (const baseline of await gates.listBaselines(projectId, run, gated.metric === null)) {
      const read = await readGated(projectId, { ...baseline, status: "completed" }, gated, asker);
      if (read !== null && read.ratings.averageRating !== null) return align(projectId, run, baseline, read.ratings);
    }
    return null;
  }

  return {
    async decide(projectId, runId, request, asker) {
      const run = await findRun(projectId, runId);
      const gatedScorer = findScorer([await gradings.planOf(projectId, run)], request.scorer);
      const gated: Gated = { scorerId: gatedScorer?.id ?? null, metric: request.metric };
      const read = await readGated(projectId, run, gated, asker);
      if (read === null) throw withoutValues(gated, "the run");
      const { rows, ratings } = read;
      const needsBaseline = request.regressionTolerance !== null || request.paired !== null;
      const baseline = needsBaseline ? await readBaseline(projectId, run, request.baselineRunId, gated, asker) : null;
      const gate: Gate = {
        runId: run.id,
        datasetId: run.datasetId,
        gatedScorer,
        gatedMetric: request.metric,
        averageRating: roundAverage(ratings.averageRating),
        resultCount: rows.length,
        baselineRunId: baseline?.runId ?? null,
        baselineAverage: roundAverage(baseline?.averageRating ?? null),
        scoringRevision: revisionOfResults(run),
        ...(await runInSlices(checkGate(ratings, baseline, request), asker.signal)),
      };
      if (request.isRecorded) {
        const now = clock.now();
        await gates.record(projectId, {
          id: uuidv7(now),
          runId: run.id,
          datasetId: run.datasetId,
          passed: gate.passed,
          scoringRevision: gate.scoringRevision,
          caller: request.caller,
          gate,
          createdAt: new Date(now),
        });
      }
      return gate;
    },
  };
}

const withoutValues = ({ metric }: Gated, what: string): AppError =>
  metric === null
    ? new AppError("bad_request", `Unknown scorer: ${what} has no such scorer`)
    : new AppError("bad_request", `Unknown metric "${metric}": ${what} has no numeric score of this name`);
