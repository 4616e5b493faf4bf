import { onceInTransaction, type Queryable, readableJson } from "@touchstone/db";

/**
 * True if an agent's profile disables its live checks (completions 9.2): `enabled` is false. Within a transaction, and constant
 * throughout it.
 */
export async function isSilenced(
  transaction: Queryable,
  { projectId, agentId }: { projectId: string; agentId: string | null },
): Promise<boolean> {
  return agentId !== null && readSilence(transaction, projectId, agentId);
}

const readSilence = onceInTransaction(
  async (transaction: Queryable, projectId: string, agentId: string): Promise<boolean> => {
    const { rowCount } = await transaction.query({
      name: "agent_is_silenced",
      text: `
        select
        from monitor.profiles
        where project_id = $1
          and agent_id = $2
          and ${readableJson("document")} ->> 'enabled' = 'false'`,
      values: [projectId, agentId],
    });
    return rowCount === 1;
  },
);
