import { limits } from "@touchstone/contracts";
import type { Database } from "@touchstone/db";
import { createBoundedCache, memberValue } from "@touchstone/service-kit";

/** The current names of datasets. */
export interface DatasetNames {
  /** By id; deleted datasets are left out. */
  find(projectId: string, ids: readonly string[]): Promise<Map<string, string | null>>;
}

/** For cached names of dataset versions: about ten thousand. */
const namesCharsMax = 1024 * 1024;

/** Reads a version's name once: it never changes, and reading it reads all of the version's cases. */
export function createDatasetNames(database: Database): DatasetNames {
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
    // The dataset was deleted concurrently.
    if (rows[0] === undefined) return null;
    const name = memberValue(rows[0].document, "name") as string;
    kept.set(key, name, key.length + name.length);
    return name;
  }

  return {
    async find(projectId, ids) {
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
      const names = new Map<string, string | null>();
      // One at a time, because reading a name reads all cases.
      for (const { id, version } of rows) names.set(id, await readName(projectId, id, version));
      return names;
    },
  };
}
