import { untilOneWaits } from "./conditions.ts";
import type { TestSystem } from "./test-system.ts";

/** What a request waits for meanwhile: to read the version that it looked up, or to store its run. */
export type Moment = "read" | "store";

const locks: Record<Moment, string> = {
  read: "lock table evals.dataset_versions in access exclusive mode",
  store: "lock table evals.runs in share mode",
};

const replacement = [
  `insert into evals.dataset_versions (project_id, dataset_id, version, document, created_at)
   select project_id, dataset_id, version + 1, document, created_at from evals.dataset_versions where dataset_id = $1`,
  "update evals.datasets set version = version + 1 where id = $1",
  "delete from evals.dataset_versions where dataset_id = $1 and version = 1",
];

/** Replaces the first version of a dataset by a second one while a use of it waits for its moment; returns what that returns. */
export async function replaceVersion<Result>(
  system: TestSystem,
  { projectId, datasetId, moment }: { projectId: string; datasetId: string; moment: Moment },
  use: () => Promise<Result>,
): Promise<Result> {
  const [database, watching] = [system.open("app"), system.open("maintenance")];
  const { used } = await database.scoped([projectId], async (transaction) => {
    await transaction.query({ name: `test_lock_${moment}`, text: locks[moment], values: [] });
    const begun = { used: use() };
    await untilOneWaits(watching);
    for (const [index, text] of replacement.entries()) {
      await transaction.query({ name: `test_replace_${index}`, text, values: [datasetId] });
    }
    return begun;
  });
  return used;
}
