import { isAppError } from "@touchstone/service-kit";
import type { DatasetNames } from "./dataset-name-reader.ts";
import type { Gradings } from "./gradings.ts";
import type { ShownRun } from "./render-run.ts";
import type { StoredRun } from "./run-store.ts";

/** Whether a run belongs to a CI run, which answers each question once. */
export type IsCiRun = (projectId: string, run: Pick<StoredRun, "id" | "runSource">) => Promise<boolean>;

/** Finds the values of runs that are shown besides their counts. */
export interface RunShower {
  /** In their order, without those that were deleted meanwhile. */
  show(projectId: string, runs: readonly StoredRun[]): Promise<ShownRun[]>;
}

export function createRunShower({
  names,
  gradings,
  isCiRun,
}: {
  names: DatasetNames;
  gradings: Pick<Gradings, "planOf" | "ofRun">;
  isCiRun: IsCiRun;
}): RunShower {
  async function countAsked(projectId: string, run: StoredRun): Promise<number | null> {
    if (run.status !== "in_progress") return null;
    // A trace that is graded alone answers no question.
    if (run.runSource === "trace-eval" || run.datasetVersion === null) return null;
    const { cases, numberOfRequests } = await gradings.ofRun(projectId, run);
    return cases.length * ((await isCiRun(projectId, run)) ? 1 : numberOfRequests);
  }

  return {
    async show(projectId, runs) {
      const named = await names.find(
        projectId,
        runs.map(({ datasetId }) => datasetId),
      );
      const shown: ShownRun[] = [];
      // One at a time: plans and cases may be large, and most are cached.
      for (const stored of runs) {
        try {
          const plan = await gradings.planOf(projectId, stored);
          const askedCount = await countAsked(projectId, stored);
          shown.push({ stored, plan, datasetName: named.get(stored.datasetId) ?? null, askedCount });
        } catch (thrown) {
          if (!isAppError(thrown) || thrown.code !== "not_found") throw thrown;
        }
      }
      return shown;
    },
  };
}
