import { limits } from "@touchstone/contracts";
import type { Database } from "@touchstone/db";
import type { Agent } from "../agents/agent-store.ts";
import type { SpanExportQuery } from "../trace-store/reading/span-export-store.ts";

/** Reads all agents of a project, by id. */
export interface AgentExportStore {
  /** The next agents after an id, or the first ones; empty at the end. */
  readPage(query: SpanExportQuery, afterId: string | null): Promise<Agent[]>;
  count(query: SpanExportQuery): Promise<number>;
}

const beforeFirst = "00000000-0000-0000-0000-000000000000";

export function createAgentExportStore(database: Database): AgentExportStore {
  return {
    async readPage({ projectId, sinceMs }, afterId) {
      const { rows } = await database.readScoped<{ id: string; name: string; created_at: Date }>([projectId], {
        name: "agents_export",
        text: `
          select id, name, created_at
          from ingest.agents
          where project_id = $1 and id > $2 and ($3::float8 is null or created_at >= to_timestamp($3 / 1000))
          order by id
          limit ${limits.exportPageRows}`,
        values: [projectId, afterId ?? beforeFirst, sinceMs],
      });
      return rows.map(({ id, name, created_at }) => ({ id, name, createdAt: created_at }));
    },

    async count({ projectId, sinceMs }) {
      const { rows } = await database.readScoped<{ rows: string }>([projectId], {
        name: "agents_export_count",
        text: `
          select count(*) as rows
          from ingest.agents
          where project_id = $1 and ($2::float8 is null or created_at >= to_timestamp($2 / 1000))`,
        values: [projectId, sinceMs],
      });
      return Number(rows[0]?.rows ?? 0);
    },
  };
}
