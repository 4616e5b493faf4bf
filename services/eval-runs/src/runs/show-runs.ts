import { limits } from "@touchstone/contracts";
import type { Database } from "@touchstone/db";
import { createBoundedCache } from "../grading/bounded-cache.ts";
import type { Gradings } from "../grading/gradings.ts";
import type { ShownRun } from "./render-run.ts";
import type { StoredRun } from "./run-store.ts";

/** Finds what is said of runs besides what is counted. */
export interface RunShower {
  /** In their order. */
  show(projectId: string, runs: readonly StoredRun[]): Promise<ShownRun[]>;
}

export function createRunShower({
  database,
  gradings,
}: {
  database: Database;
  gradings: Pick<Gradings, "planOf" | "ofRun">;
}): RunShower {
  const names = createDatasetNames(database);

  async function countAsked(projectId: string, run: StoredRun): Promise<number | null> {
    if (run.status !== "in_progress") return null;
    // A trace that is graded by itself answers no question.
    if (run.runSource === "trace-eval" || run.datasetVersion === null) return null;
    const { cases, numberOfRequests } = await gradings.ofRun(projectId, run);
    return cases.length * numberOfRequests;
  }

  return {
    async show(projectId, runs) {
      const named = await names.find(
        projectId,
        runs.map(({ datasetId }) => datasetId),
      );
      return Promise.all(
        runs.map(async (stored) => ({
          stored,
          plan: await gradings.planOf(projectId, stored),
          datasetName: named.get(stored.datasetId) ?? null,
          askedCount: await countAsked(projectId, stored),
        })),
      );
    },
  };
}

/** Of the names of dataset versions that are kept: those of some ten thousand. */
const namesCharsMax = 1024 * 1024;

/** The names of datasets as they are now. A version never changes its name, and reading one reads all of its cases: it is read once. */
function createDatasetNames(database: Database) {
  const kept = createBoundedCache<string>(namesCharsMax);

  async function readName(projectId: string, id: string, version: number): Promise<string | null> {
    const key = `${projectId}/${id}/${version}`;
    const known = kept.get(key);
    if (known !== undefined) return known;
    const { rows } = await database.readScoped<{ document: string }>([projectId], {
      name: "dataset_read_name",
      text: `
        select document::text as document
        from evals.dataset_versions
        where project_id = $1
          and dataset_id = $2
          and version = $3`,
      values: [projectId, id, version],
    });
    // Deleted at this moment.
    if (rows[0] === undefined) return null;
    const { name } = JSON.parse(rows[0].document) as { name: string };
    kept.set(key, name, key.length + name.length);
    return name;
  }

  return {
    /** By id; a dataset that is gone has none. */
    async find(projectId: string, ids: readonly string[]): Promise<Map<string, string | null>> {
      if (ids.length === 0) return new Map();
      const { rows } = await database.readScoped<{ id: string; version: number }>([projectId], {
        name: "dataset_list_versions_now",
        text: `
          select id, version
          from evals.datasets
          where project_id = $1
            and id = any ($2::uuid[])
          limit ${limits.runPageMax}`,
        values: [projectId, [...new Set(ids)]],
      });
      const names = await Promise.all(
        rows.map(async ({ id, version }) => [id, await readName(projectId, id, version)] as const),
      );
      return new Map(names);
    },
  };
}
