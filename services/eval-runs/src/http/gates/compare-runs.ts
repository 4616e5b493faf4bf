import { AppError, type Handler, requireProject } from "@touchstone/service-kit";
import { type RunWithOutline, renderComparison } from "../../gates/compare-runs.ts";
import { findScorer } from "../../grading/find-scorer.ts";
import { answerPieces } from "../../json/answer-pieces.ts";
import { readText } from "../../queries/read-query.ts";
import type { ResultStore } from "../../results/result-store.ts";
import type { Gradings } from "../../runs/gradings.ts";
import { requireRun } from "../../runs/require-run.ts";
import { readRatings } from "../../runs/run-ratings.ts";
import type { RunStore, StoredRun } from "../../runs/run-store.ts";

/** Of a text with `view=preview`. */
const previewChars = 300;

/** GET /evaluate/runs/compare (completions 5.7). */
export function compareRuns({
  runs,
  results,
  gradings,
}: {
  runs: RunStore;
  results: ResultStore;
  gradings: Gradings;
}): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const [baselineId, candidateId] = [readText(call.query, "baseline"), readText(call.query, "candidate")];
    if (baselineId === null || candidateId === null) {
      throw new AppError("bad_request", "baseline and candidate run ids are required");
    }
    const [before, after] = await Promise.all([
      requireRun(runs, projectId, baselineId),
      requireRun(runs, projectId, candidateId),
    ]);
    if (before.datasetId !== after.datasetId) {
      throw new AppError("bad_request", "The two runs are of different datasets");
    }
    const [ofBefore, ofAfter] = await Promise.all([
      gradings.ofRun(projectId, before),
      gradings.ofRun(projectId, after),
    ]);
    // A scorer that only one of the runs has leaves the other unrated.
    const scorer = findScorer([ofAfter.plan, ofBefore.plan], readText(call.query, "scorer"));
    const outline = async (run: StoredRun): Promise<RunWithOutline> => ({
      run,
      outline: await readRatings(results, { projectId, runId: run.id, scorerId: scorer?.id ?? null }),
    });
    const compared = await Promise.all([outline(before), outline(after)]);
    const options = {
      scorer,
      charsMax: readText(call.query, "view") === "preview" ? previewChars : null,
      expectedOf: (index: number) =>
        ofAfter.cases[index]?.expectedResults ?? ofBefore.cases[index]?.expectedResults ?? null,
    };
    const pagesOf = (ids: readonly string[]) => results.pagesOf(projectId, ids);
    return answerPieces(renderComparison(compared, pagesOf, options, call.signal));
  };
}
