import type { Database } from "@touchstone/db";

/** Reads the newest traces of a project. */
export interface NewestTraces {
  /**
   * At most `limit` ids, newest first, of the named agents if any. Leaves out traces from offline evaluations and those
   * submitted as unwatched, like live checks.
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
        // Ids are UUIDv7: the table's primary key is in the order of time.
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

/** No UUIDv7 of this time or a later one is smaller. */
function lowestIdAt(moment: Date): string {
  const hex = moment.getTime().toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
