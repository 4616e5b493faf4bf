import type { Database } from "@touchstone/db";

/** Reads which traces of a project are the newest. */
export interface NewestTraces {
  /**
   * At most `limit` ids, the newest first, of agents where they are named. What offline evaluations produced is left out,
   * and so is what was submitted not to be watched, as in live checks.
   */
  list(
    projectId: string,
    of: { since: Date | null; agentIds: readonly string[] | null; limit: number },
  ): Promise<string[]>;
}

export function createNewestTraces(database: Database): NewestTraces {
  return {
    async list(projectId, { since, agentIds, limit }) {
      const { rows } = await database.readScoped<{ trace_id: string }>([projectId], {
        // Ids are UUIDv7: the key of the table is in the order of time, backwards.
        name: "seen_traces_newest",
        text: `
          select trace_id
          from monitor.seen_traces
          where project_id = $1
            and ($2::uuid is null or trace_id >= $2)
            and ($3::uuid[] is null or agent_id = any ($3))
            and case when traffic_source = 'eval-run' then monitor is true else monitor is not false end
          order by trace_id desc
          limit $4`,
        values: [projectId, since && lowestIdAt(since), agentIds && [...agentIds], limit],
      });
      return rows.map((row) => row.trace_id);
    },
  };
}

/** No UUIDv7 of this moment or a later one is smaller. */
function lowestIdAt(moment: Date): string {
  const hex = moment.getTime().toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
