import { type Database, sqlStateOf } from "@touchstone/db";

/** Writers hold the lock longer than they may be blocked: the next run tries again. */
const lockNotAvailable = "55P03";

/**
 * Removes agents that were registered automatically, lost a root, and have no root left (completions 9.1). Returns the
 * number of candidates. It blocks writers while it runs: a writer that sees an agent does not register it, and would
 * lose it.
 */
export async function removeDoubtedAgents(database: Database): Promise<number> {
  const { rows } = await database.query<{ doubted: boolean }>({
    name: "agents_doubted",
    text: "select exists (select from ingest.agents where doubted_at is not null) as doubted",
  });
  if (rows[0]?.doubted !== true) return 0;
  const removal = database.transaction(async (transaction) => {
    const results = await transaction.pipeline([
      { name: "agents_lock_timeout", text: "select set_config('lock_timeout', '500ms', true)" },
      { name: "", text: "lock table ingest.agents in share row exclusive mode" },
      {
        name: "agents_remove_doubted",
        text: `
          delete from ingest.agents
          where doubted_at is not null and id = name_key and not is_requested and not exists (
            select from ingest.spans
            where spans.project_id = agents.project_id and spans.agent_id = agents.id and spans.is_root
          )`,
      },
      {
        name: "agents_trust",
        text: "update ingest.agents set doubted_at = null where doubted_at is not null",
      },
    ]);
    return results.slice(2).reduce((sum, { rowCount }) => sum + (rowCount ?? 0), 0);
  });
  return removal.catch((thrown) => {
    if (sqlStateOf(thrown) === lockNotAvailable) return 0;
    throw thrown;
  });
}
