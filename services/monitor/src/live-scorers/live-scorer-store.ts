import type { LiveScorers } from "@touchstone/contracts";
import { type Database, onceInTransaction, type Queryable, type Statement, type Transaction } from "@touchstone/db";
import { createBoundedCache } from "@touchstone/service-kit";

/** A project's live scorers, as last announced. */
export type LiveScorerSet = Pick<LiveScorers, "judges" | "groups">;

export interface LiveScorerStore {
  /**
   * Stores an announcement, unless a newer one is stored; ignores deleted projects. Idle sessions are then looked at again: a
   * scorer that is new may still judge them.
   */
  put(told: LiveScorers): Promise<void>;
  /** Within a transaction of the project's scope; returns the same set throughout it. */
  read(transaction: Queryable, projectId: string): Promise<LiveScorerSet>;
  /**
   * The same for a transaction that plans with the set: `put` waits for it to end. So a trace is either planned with the new
   * set, or visible after the `put`.
   */
  readToPlan(transaction: Transaction, projectId: string): Promise<LiveScorerSet>;
}

const none: LiveScorerSet = { judges: [], groups: [] };

/** The newest sessions that a change has looked at again. Scorers judge no more of them in a day. */
const lookedAtAgainMax = 10_000;

/** Characters of documents whose parsed sets are cached. */
const rememberedMaxChars = 16 * 1024 * 1024;

/** Stores {@link LiveScorerStore} in `monitor.live_scorers`; parsed sets are cached until their revision changes. */
export function createLiveScorerStore(maintenance: Database): LiveScorerStore {
  const remembered = createBoundedCache<{ revision: string; set: LiveScorerSet }>(rememberedMaxChars);

  function selectSet(projectId: string): { known: LiveScorerSet | undefined; statement: Statement } {
    const known = remembered.get(projectId);
    return {
      known: known?.set,
      statement: {
        name: "live_scorers_read",
        text: `
          select revision, case when revision is distinct from $2 then document::text end as document
          from monitor.live_scorers
          where project_id = $1`,
        values: [projectId, known?.revision ?? null],
      },
    };
  }

  function readRow(projectId: string, rows: readonly SetRow[], known: LiveScorerSet | undefined): LiveScorerSet {
    const [row] = rows;
    if (row === undefined) return none;
    if (row.document === null) return known ?? none;
    const set = JSON.parse(row.document) as LiveScorerSet;
    remembered.set(projectId, { revision: row.revision, set }, row.document.length);
    return set;
  }

  return {
    async put({ projectId, revision, judges, groups }) {
      const idles = [...judges, ...groups].filter(({ enabled, scope }) => enabled && scope === "session");
      // A locked session is skipped: it is becoming active, and its writer may be waiting for the lock of the set.
      const put: Statement = {
        name: "live_scorers_put",
        text: `
          with stored as (
            insert into monitor.live_scorers as told (project_id, revision, document, session_idle_seconds)
            select $1, $2, $3, $4
            where not exists (select from monitor.deleted_projects where project_id = $1)
            on conflict (project_id) do update
            set revision = excluded.revision,
                document = excluded.document,
                session_idle_seconds = excluded.session_idle_seconds,
                updated_at = now()
            where told.revision < excluded.revision
            returning session_idle_seconds
          ),
          idle as (
            select session_id
            from monitor.sessions
            where project_id = $1
              and active_at > now() - interval '2 days'
              and (look_at is null or look_at > now())
              and exists (select from stored where session_idle_seconds is not null)
            order by active_at desc
            limit $5
            for update skip locked
          )
          update monitor.sessions
          set look_at = active_at
          from idle
          where sessions.project_id = $1
            and sessions.session_id = idle.session_id`,
        values: [
          projectId,
          revision,
          JSON.stringify({ judges, groups }),
          idles.length === 0 ? null : Math.min(...idles.map(({ idleSeconds }) => idleSeconds)),
          lookedAtAgainMax,
        ],
      };
      await maintenance.transaction((transaction) => transaction.finish([lockSet(projectId, "exclusive"), put]));
    },

    read: onceInTransaction(async (transaction, projectId) => {
      const { statement, known } = selectSet(projectId);
      return readRow(projectId, (await transaction.query<SetRow>(statement)).rows, known);
    }),

    readToPlan: onceInTransaction(async (transaction: Transaction, projectId) => {
      const { statement, known } = selectSet(projectId);
      const [, { rows }] = await transaction.pipeline<[object, SetRow]>([lockSet(projectId, "shared"), statement]);
      return readRow(projectId, rows, known);
    }),
  };
}

/** The document is null if the known one is of this revision. */
type SetRow = { revision: string; document: string | null };

/** Held until the end of the transaction. */
function lockSet(projectId: string, mode: "exclusive" | "shared"): Statement {
  const lock = mode === "shared" ? "pg_advisory_xact_lock_shared" : "pg_advisory_xact_lock";
  return {
    name: `live_scorers_lock_${mode}`,
    text: `select ${lock}(hashtextextended('touchstone live scorers ' || $1, 0))`,
    values: [projectId],
  };
}
