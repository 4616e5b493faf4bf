import type { Queryable } from "@touchstone/db";

/** Records that a project has had a seed. */
export async function noteSeed(transaction: Queryable, projectId: string, key: string): Promise<void> {
  await transaction.query({
    name: "seed_insert",
    text: `
      insert into evals.seeded_content (project_id, seed_key)
      values ($1, $2)`,
    values: [projectId, key],
  });
}

/** The keys of the seeds that a project has had. */
export async function readSeedKeys(transaction: Queryable, projectId: string): Promise<Set<string>> {
  const { rows } = await transaction.query<{ seed_key: string }>({
    name: "seed_list",
    text: `
      select seed_key
      from evals.seeded_content
      where project_id = $1`,
    values: [projectId],
  });
  return new Set(rows.map((row) => row.seed_key));
}
