import { AppError, createBoundedCache } from "@touchstone/service-kit";
import type { DatasetStore } from "../datasets/dataset-store.ts";
import { VersionGone } from "../datasets/version-gone.ts";
import { type Grading, readGrading } from "../grading/cases.ts";
import { type GradingPlan, readPlan } from "../grading/plan.ts";
import type { RunStore, StoredRun } from "./run-store.ts";

/** Characters of documents and plans whose parsed form is cached; it takes about twice that in memory. */
const documentCharsMax = 32 * 1024 * 1024;
const planCharsMax = 8 * 1024 * 1024;

/** Gradings, read once and cached: neither a dataset version nor a revision of a run's plan ever changes. */
export interface Gradings {
  /** A dataset version's cases and its own grading. Throws {@link VersionGone}: a version that no run uses may be replaced. */
  ofDataset(projectId: string, datasetId: string, version: number): Promise<Grading>;
  /** A run's grading: its plan, and the cases of its dataset version. */
  ofRun(projectId: string, run: GradedRun): Promise<Grading>;
  /**
   * The same without the cases. A run from before plans were frozen is graded by its dataset version. Throws `not_found` for a run
   * that was deleted.
   */
  planOf(projectId: string, run: GradedRun): Promise<GradingPlan>;
}

export type GradedRun = Pick<StoredRun, "id" | "datasetId" | "datasetVersion" | "planRevision">;

export function createGradings({
  datasets,
  runs,
  charsMax = documentCharsMax,
}: {
  datasets: Pick<DatasetStore, "readVersion">;
  runs: Pick<RunStore, "readPlan">;
  charsMax?: number;
}): Gradings {
  const versions = createBoundedCache<Grading>(charsMax);
  const plans = createBoundedCache<GradingPlan>(planCharsMax);

  async function ofDataset(projectId: string, datasetId: string, version: number): Promise<Grading> {
    const key = `${projectId}/${datasetId}/${version}`;
    const kept = versions.get(key);
    if (kept !== undefined) return kept;
    const document = await datasets.readVersion(projectId, datasetId, version);
    if (document === null) throw new VersionGone();
    const grading = readGrading({ id: datasetId, document });
    versions.set(key, grading, document.length);
    return grading;
  }

  async function planOf(projectId: string, run: GradedRun): Promise<GradingPlan> {
    const key = `${projectId}/${run.id}/${run.planRevision}`;
    const kept = plans.get(key);
    if (kept !== undefined) return kept;
    const stored = await runs.readPlan(projectId, run.id);
    if (stored === null) throw new AppError("not_found", "Run not found");
    if (stored.plan === null) return (await casesOf(projectId, run)).plan;
    const plan = readPlan(stored.plan);
    plans.set(key, plan, stored.plan.length);
    return plan;
  }

  async function casesOf(projectId: string, { datasetId, datasetVersion }: GradedRun): Promise<Grading> {
    if (datasetVersion === null) throw new Error("a run has neither a plan nor a dataset version");
    return ofDataset(projectId, datasetId, datasetVersion);
  }

  return {
    ofDataset,
    planOf,
    async ofRun(projectId, run) {
      const plan = await planOf(projectId, run);
      if (run.datasetVersion === null) return { plan, cases: [], numberOfRequests: 1 };
      return { ...(await casesOf(projectId, run)), plan };
    },
  };
}
