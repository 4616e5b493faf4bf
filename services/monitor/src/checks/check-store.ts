import type { Database, Queryable, Statement } from "@touchstone/db";
import type { Logger } from "@touchstone/service-kit";
import { type RegularSweep, trimRegularly } from "@touchstone/store-service";
import { plannableDays } from "../traces/settled-trace-store.ts";
import type { CheckKind, DueCheck } from "./check.ts";

/** A taken check, with the token of its lease. */
export interface TakenCheck extends DueCheck {
  token: string;
}

/** The time until a check that was neither settled nor put back is due again: its worker hung or was killed. */
export interface Lease {
  ms: number;
  /** Added after the first try, the second and so on; the last value applies to all further tries. */
  backOffMs: readonly number[];
}

/** How a check ended. */
export interface Ending {
  outcome: "done" | "skipped" | "given-up";
  reason: string | null;
}

interface TakeOptions {
  token: string;
  count: number;
  perProject: number;
  inHand: ReadonlyMap<string, number>;
  kinds: readonly CheckKind[];
  /** Projects after this one come first, so that none starves if there are more than one poll reads. */
  after: string;
  lease: Lease;
}

/**
 * The due checks. A worker takes a check under a lease, and writes its outcome only while it holds the lease. All times are
 * PostgreSQL's: replicas with different clocks agree on when a lease expires.
 */
export interface CheckStore {
  /**
   * Takes up to `count` due checks of some kinds, the oldest of each project, projects in turn: first those with the fewest
   * `inHand`, and never more than `perProject` of one, including these. Counts a try in advance, so that a check that kills its
   * worker returns counted, with a longer delay each time.
   */
  take(options: TakeOptions): Promise<TakenCheck[]>;
  /** Extends leases. Returns the ids of those that the worker still holds. */
  renew(held: readonly TakenCheck[], lease: Lease): Promise<Set<string>>;
  /**
   * Ends a check and writes its findings, in one transaction. Returns false and writes nothing if another worker took the check
   * over.
   */
  settle(check: TakenCheck, ending: Ending, record: (transaction: Queryable) => Promise<void>): Promise<boolean>;
  /** Puts a check back for later. `isCounted`: the try remains counted. */
  putBack(check: TakenCheck, options: { reason: string | null; delayMs: number; isCounted: boolean }): Promise<void>;
  /** The number of checks due now, at most a hundred thousand. */
  countDue(): Promise<number>;
}

const backlogCountMax = 100_000;
/** Projects that one poll for due checks reads. */
const projectsMax = 100;

export function createCheckStore({
  database,
  maintenance,
}: {
  /** Connects as the application role: findings are written under their project's scope. */
  database: Database;
  /** Connects as the maintenance role: checks are taken across projects. */
  maintenance: Database;
}): CheckStore {
  return {
    async take(options) {
      const { rows } = await maintenance.query<CheckRow>(buildTake(options));
      return rows.map((row) => readRow(row, options.token));
    },

    async renew(held, lease) {
      const { rows } = await maintenance.query<{ id: string }>({
        name: "checks_renew",
        text: `
          update monitor.checks
          set lease_ends_at = now() + $3 * interval '1 millisecond',
              due_at = now() + ($3 + ($4::integer[])[least(attempts, cardinality($4))]) * interval '1 millisecond'
          from unnest($1::bigint[], $2::uuid[]) as held (id, token)
          where checks.id = held.id
            and leased_by = held.token
            and settled_at is null
          returning checks.id::text`,
        values: [held.map(({ id }) => id), held.map(({ token }) => token), lease.ms, lease.backOffMs],
      });
      return new Set(rows.map((row) => row.id));
    },

    settle: (check, { outcome, reason }, record) =>
      database.scoped([check.projectId], async (transaction) => {
        const { rowCount } = await transaction.query({
          // Locks the row first, so that no worker takes the check over while its findings are written.
          name: "check_settle",
          text: `
            update monitor.checks
            set settled_at = now(),
                outcome = $4,
                reason = $5,
                leased_by = null,
                lease_ends_at = null
            where project_id = $1
              and id = $2
              and leased_by = $3
              and settled_at is null`,
          values: [check.projectId, check.id, check.token, outcome, reason],
        });
        if (rowCount !== 1) return false;
        await record(transaction);
        return true;
      }),

    async putBack({ id, projectId, token }, { reason, delayMs, isCounted }) {
      await maintenance.query({
        name: "check_put_back",
        text: `
          update monitor.checks
          set attempts = attempts - $5::integer,
              reason = $4,
              due_at = now() + $6 * interval '1 millisecond',
              leased_by = null,
              lease_ends_at = null
          where project_id = $1
            and id = $2
            and leased_by = $3
            and settled_at is null`,
        values: [projectId, id, token, reason, isCounted ? 0 : 1, delayMs],
      });
    },

    async countDue() {
      const { rows } = await maintenance.query<{ due: number }>({
        name: "checks_count_due",
        text: `
          select count(*)::integer as due
          from (
            select
            from monitor.checks
            where settled_at is null and due_at <= now()
            limit $1
          ) as due`,
        values: [backlogCountMax],
      });
      return rows[0]?.due ?? 0;
    },
  };
}

/** The recursion steps from one project with checks to the next: its cost does not grow with their backlog. */
function buildTake({ token, count, perProject, inHand, kinds, after, lease }: TakeOptions): Statement {
  return {
    name: "checks_take",
    text: `
      with recursive following (project_id, place) as (
        (
          select project_id, 1
          from monitor.checks
          where settled_at is null and project_id > $1
          order by project_id
          limit 1
        )
        union all
        select (
          select project_id
          from monitor.checks
          where settled_at is null and checks.project_id > following.project_id
          order by project_id
          limit 1
        ), place + 1
        from following
        where following.project_id is not null and place < $2
      ), wrapped (project_id, place) as (
        (
          select project_id, 1
          from monitor.checks
          where settled_at is null
          order by project_id
          limit 1
        )
        union all
        select (
          select project_id
          from monitor.checks
          where settled_at is null and checks.project_id > wrapped.project_id
          order by project_id
          limit 1
        ), place + 1
        from wrapped
        where wrapped.project_id < $1 and place < $2
      ), project as (
        select project_id, coalesce(held, 0) as held
        from (
          select project_id from following
          union
          select project_id from wrapped
        ) as present
        left join unnest($3::uuid[], $4::integer[]) as hand (project_id, held) using (project_id)
        where project_id is not null
      ), candidate as (
        select due.id, held + row_number() over (partition by project.project_id order by due.due_at, due.id) as turn,
               due.due_at
        from project
        cross join lateral (
          select id, due_at
          from monitor.checks
          where checks.project_id = project.project_id
            and settled_at is null
            and due_at <= now()
            and kind = any ($5::text[])
          order by due_at, id
          limit least($6::integer, greatest($7::integer - held, 0))
          for update skip locked
        ) as due
      ), chosen as (
        select id
        from candidate
        order by turn, due_at, id
        limit $6
      )
      update monitor.checks
      set attempts = attempts + 1,
          leased_by = $8,
          lease_ends_at = now() + $9 * interval '1 millisecond',
          due_at = now() + ($9 + ($10::integer[])[least(attempts + 1, cardinality($10))]) * interval '1 millisecond'
      where id in (select id from chosen)
      returning id::text, project_id, kind, scorer_id, subject_id, round, plan, attempts`,
    values: [
      after,
      projectsMax,
      [...inHand.keys()],
      [...inHand.values()],
      kinds,
      count,
      perProject,
      token,
      lease.ms,
      lease.backOffMs,
    ],
  };
}

interface CheckRow {
  id: string;
  project_id: string;
  kind: CheckKind;
  scorer_id: string;
  subject_id: string;
  round: number;
  plan: unknown;
  attempts: number;
}

const readRow = (row: CheckRow, token: string): TakenCheck => ({
  id: row.id,
  projectId: row.project_id,
  kind: row.kind,
  scorerId: row.scorer_id,
  subjectId: row.subject_id,
  round: row.round,
  plan: row.plan,
  attempt: row.attempts,
  token,
});

/** A week: longer than any event can plan the same check again. */
const keptDays = plannableDays + 1;

/** Deletes checks that ended a week ago. */
export function trimChecks({ maintenance, logger }: { maintenance: Database; logger: Logger }): RegularSweep {
  return trimRegularly({
    maintenance,
    logger,
    statement: (rowsAtOnce) => ({
      name: "checks_trim",
      text: `
        delete from monitor.checks
        where id in (
          select id
          from monitor.checks
          where settled_at < now() - $1 * interval '1 day'
          order by settled_at
          limit $2)`,
      values: [keptDays, rowsAtOnce],
    }),
  });
}
