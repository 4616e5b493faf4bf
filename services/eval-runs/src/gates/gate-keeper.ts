import { type Gate, isUuid } from "@touchstone/contracts";
import { AppError, type Clock, runInSlices, uuidv7 } from "@touchstone/service-kit";
import { findScorer } from "../grading/plan.ts";
import type { ResultStore } from "../results/result-store.ts";
import type { Gradings } from "../runs/gradings.ts";
import { type RunRatings, readRatings, summarizeRatings } from "../runs/run-ratings.ts";
import type { RunStore, StoredRun } from "../runs/run-store.ts";
import { checkGate, roundAverage } from "./check-gate.ts";
import type { GateRequest } from "./gate-request.ts";
import type { GateStore } from "./gate-store.ts";

export interface GateDependencies {
  results: ResultStore;
  runs: RunStore;
  gates: GateStore;
  gradings: Gradings;
  clock: Clock;
}

/** Decides on runs (completions 5.6). */
export interface GateKeeper {
  /**
   * Throws `not_found` for an unknown run or baseline, `bad_request` for an unknown scorer or another dataset's run, and the
   * signal's reason when the caller has gone.
   */
  decide(projectId: string, runId: string, request: GateRequest, signal: AbortSignal): Promise<Gate>;
}

export function createGateKeeper({ results, runs, gates, gradings, clock }: GateDependencies): GateKeeper {
  async function findRun(projectId: string, runId: string): Promise<StoredRun> {
    const run = isUuid(runId) ? await runs.find(projectId, runId) : null;
    if (run === null) throw new AppError("not_found", "Run not found");
    return run;
  }

  async function readGated(projectId: string, run: Pick<StoredRun, "id" | "status">, scorerId: string | null) {
    const rows = await readRatings(results, { projectId, runId: run.id, scorerId });
    return { rows, gated: summarizeRatings(run.id, run.status === "in_progress", rows) };
  }

  /** The pinned run, or the newest of the last completed ones that the scorer rated. */
  async function readBaseline(
    projectId: string,
    run: StoredRun,
    pinnedId: string | null,
    scorerId: string | null,
  ): Promise<RunRatings | null> {
    if (pinnedId !== null) {
      const pinned = await findRun(projectId, pinnedId);
      if (pinned.datasetId !== run.datasetId) {
        throw new AppError("bad_request", "The baseline is a run of another dataset");
      }
      return (await readGated(projectId, pinned, scorerId)).gated;
    }
    for (const id of await gates.listBaselines(projectId, run)) {
      const { gated } = await readGated(projectId, { id, status: "completed" }, scorerId);
      if (gated.averageRating !== null) return gated;
    }
    return null;
  }

  return {
    async decide(projectId, runId, request, signal) {
      const run = await findRun(projectId, runId);
      const gatedScorer = findScorer([await gradings.planOf(projectId, run)], request.scorer);
      const scorerId = gatedScorer?.id ?? null;
      const { rows, gated } = await readGated(projectId, run, scorerId);
      const needsBaseline = request.regressionTolerance !== null || request.paired !== null;
      const baseline = needsBaseline ? await readBaseline(projectId, run, request.baselineRunId, scorerId) : null;
      const gate: Gate = {
        runId: run.id,
        datasetId: run.datasetId,
        gatedScorer,
        averageRating: roundAverage(gated.averageRating),
        resultCount: rows.length,
        baselineRunId: baseline?.runId ?? null,
        baselineAverage: roundAverage(baseline?.averageRating ?? null),
        scoringRevision: run.scoringRevision,
        ...(await runInSlices(checkGate(gated, baseline, request), signal)),
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
