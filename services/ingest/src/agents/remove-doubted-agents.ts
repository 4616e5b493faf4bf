import { type Database, sqlStateOf } from "@touchstone/db";

/** Writers are busy for longer than they may be kept waiting: the next turn tries again. */
const lockNotAvailable = "55P03";

/**
 * Removes agents that registered themselves, that a root gave up and that no root refers to any more (completions
 * 9.1). Answers how many there were to look at. It keeps writers away for its moment: one that finds an agent there
 * does not register it, and would be left with none.
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
