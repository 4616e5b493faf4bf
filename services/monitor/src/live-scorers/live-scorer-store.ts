import type { LiveScorers } from "@touchstone/contracts";
import type { Database, Queryable } from "@touchstone/db";
import { onceInTransaction } from "../checks/once-in-transaction.ts";

/** What judges a project's live traffic, as it was last told. */
export type LiveScorerSet = Pick<LiveScorers, "judges" | "groups">;

export interface LiveScorerStore {
  /** Takes note of what was told, unless something newer was; of a deleted project nothing is kept. */
  put(told: LiveScorers): Promise<void>;
  /** Within a transaction of the project's scope, which is answered the same set throughout. */
  read(transaction: Queryable, projectId: string): Promise<LiveScorerSet>;
}

const none: LiveScorerSet = { judges: [], groups: [] };

/** Sets of rubrics that are kept parsed. */
const rememberedMax = 500;

/** Keeps {@link LiveScorerStore} in `monitor.live_scorers`; what was read is kept parsed until its revision changes. */
export function createLiveScorerStore(maintenance: Database): LiveScorerStore {
  const remembered = new Map<string, { revision: string; set: LiveScorerSet }>();

  async function read(transaction: Queryable, projectId: string): Promise<LiveScorerSet> {
    const known = remembered.get(projectId);
    const { rows } = await transaction.query<{ revision: string; document: LiveScorerSet | null }>({
      name: "live_scorers_read",
      text: `
        select revision, case when revision is distinct from $2 then document end as document
        from monitor.live_scorers
        where project_id = $1`,
      values: [projectId, known?.revision ?? null],
    });
    const [row] = rows;
    if (row === undefined) return none;
    const set = row.document ?? known?.set ?? none;
    if (row.document !== null) {
      if (remembered.size >= rememberedMax) remembered.clear();
      remembered.set(projectId, { revision: row.revision, set });
    }
    return set;
  }

  return {
    async put({ projectId, revision, judges, groups }) {
      const idles = [...judges, ...groups].filter(({ enabled, scope }) => enabled && scope === "session");
      await maintenance.query({
        name: "live_scorers_put",
        text: `
          insert into monitor.live_scorers as told (project_id, revision, document, session_idle_seconds)
          select $1, $2, $3, $4
          where not exists (select from monitor.deleted_projects where project_id = $1)
          on conflict (project_id) do update
          set revision = excluded.revision,
              document = excluded.document,
              session_idle_seconds = excluded.session_idle_seconds,
              updated_at = now()
          where told.revision < excluded.revision`,
        values: [
          projectId,
          revision,
          JSON.stringify({ judges, groups }),
          idles.length === 0 ? null : Math.min(...idles.map(({ idleSeconds }) => idleSeconds)),
        ],
      });
    },

    read: onceInTransaction(read),
  };
}
