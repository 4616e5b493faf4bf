import type { Database, Statement, Transaction } from "@touchstone/db";
import type { RatingNews } from "./rating-news-store.ts";
import { digestValues, resultColumns, resultValues, selectSentResults } from "./result-row-store.ts";
import type { ResultRow, StoredResult } from "./stored-result.ts";

/** The owner of claims: one batch of one run. */
export interface ClaimScope {
  projectId: string;
  runId: string;
  /** The batch; a retry is a different holder. */
  holder: string;
}

/** A result that was already stored. */
export interface FoundResult {
  id: string;
  row: ResultRow;
}

/**
 * The state of a key: stored; claimed by this call (`mine`); being judged by another holder under a live lease (`held`);
 * claimed by a holder whose lease has expired (`expired`); or unclaimed.
 */
export type KeyState = { kind: "stored"; result: FoundResult } | { kind: "mine" | "held" | "expired" | "unclaimed" };

export interface Taken {
  /** False when the run is terminal or being finalized; then nothing was claimed. */
  runIsOpen: boolean;
  /** By key digest. */
  states: Map<string, KeyState>;
}

/**
 * The claims under which results are judged, and the storing of judged results. A run has claims only while it is in progress:
 * they are taken under its lock, and its end removes them all (`completeRun`). So a result that replaces its claim never lands
 * in a terminal run. All times are PostgreSQL's: replicas with different clocks agree on when a lease expires.
 */
export interface ClaimStore {
  /** Claims keys that are neither stored nor held, in one insert; takes over expired leases. */
  take(scope: ClaimScope, results: readonly StoredResult[]): Promise<Taken>;
  look(scope: ClaimScope, keyDigests: readonly string[]): Promise<Map<string, KeyState>>;
  /** Extends the batch's leases, at most to each result's deadline. */
  renew(scope: ClaimScope): Promise<void>;
  /** Stores results in place of the batch's claims. Returns the stored digests; the others belong to other holders. */
  finish(scope: ClaimScope, results: readonly StoredResult[]): Promise<Set<string>>;
  /** Releases the batch's remaining claims, so that a retry need not wait for leases to expire. */
  release(scope: ClaimScope): Promise<void>;
}

export function createClaimStore(
  database: Database,
  { leaseMs, resultMs }: { leaseMs: number; resultMs: number },
  ratingNews: RatingNews,
): ClaimStore {
  const scoped = <Result>({ projectId }: ClaimScope, work: (transaction: Transaction) => Promise<Result>) =>
    database.scoped([projectId], work);

  /** Deletes claims whose result another holder stored while this call waited. Until then the keys count as stored. */
  async function deleteClaims(scope: ClaimScope, keyDigests: readonly string[]): Promise<void> {
    await scoped(scope, (transaction) =>
      transaction.finish([
        {
          name: "claims_delete",
          text: `
            delete from evals.claims
            where project_id = $1
              and run_id = $2
              and holder = $3
              and key_digest = any ($4::bytea[])`,
          values: [scope.projectId, scope.runId, scope.holder, digestValues(keyDigests)],
        },
      ]),
    );
  }

  return {
    async take(scope, results) {
      const keyDigests = results.map((result) => result.keyDigest);
      const [open, claims, keys] = await scoped(scope, (transaction) =>
        transaction.finish<[Record<never, never>, { key_digest: string }, KeyRow]>([
          lockOpenRun(scope),
          buildTake(scope, results, { leaseMs, resultMs }),
          selectKeys(scope, keyDigests),
        ]),
      );
      const claimed = new Set(claims.rows.map((row) => row.key_digest));
      const states = keyStatesOf(keys);
      const storedMeanwhile: string[] = [];
      for (const [keyDigest, state] of states) {
        if (!claimed.has(keyDigest)) continue;
        if (state.kind === "stored") storedMeanwhile.push(keyDigest);
        else states.set(keyDigest, { kind: "mine" });
      }
      if (storedMeanwhile.length > 0) await deleteClaims(scope, storedMeanwhile);
      return { runIsOpen: open.rowCount === 1, states };
    },

    async look(scope, keyDigests) {
      return keyStatesOf(await database.readScoped<KeyRow>([scope.projectId], selectKeys(scope, keyDigests)));
    },

    async renew(scope) {
      // Skips locked claims: a claim that is being taken over or stored needs no longer lease, and a renewal that never waits
      // cannot deadlock.
      await scoped(scope, (transaction) =>
        transaction.query({
          name: "claims_renew",
          text: `
            update evals.claims
            set lease_until = least(clock_timestamp() + $4 * interval '1 millisecond', deadline_at)
            where project_id = $1
              and run_id = $2
              and key_digest in (
                select key_digest
                from evals.claims
                where project_id = $1
                  and run_id = $2
                  and holder = $3
                for update skip locked
              )`,
          values: [scope.projectId, scope.runId, scope.holder, leaseMs],
        }),
      );
    },

    finish: (scope, results) =>
      scoped(scope, async (transaction) => {
        const finishing = buildFinish(scope, results);
        if (!ratingNews.hasAny(results)) {
          const [{ rows }] = await transaction.finish<[{ key_digest: string }]>([finishing]);
          return new Set(rows.map((row) => row.key_digest));
        }
        const { rows } = await transaction.query<{ key_digest: string }>(finishing);
        const stored = new Set(rows.map((row) => row.key_digest));
        const told = results.filter(({ keyDigest }) => stored.has(keyDigest));
        await ratingNews.write(transaction, scope, told);
        return stored;
      }),

    async release(scope) {
      await scoped(scope, (transaction) =>
        transaction.query({
          name: "claims_release",
          text: `
            delete from evals.claims
            where project_id = $1
              and run_id = $2
              and holder = $3`,
          values: [scope.projectId, scope.runId, scope.holder],
        }),
      );
    },
  };
}

/**
 * Claims are deleted and results inserted in one statement. A run has claims only while it is in progress, so a result may be
 * stored if its claim can be deleted; a concurrent finalize is waited for at the claim itself. Claims are locked in the order
 * in which they are taken, so that a holder taking over several cannot deadlock with this.
 */
function buildFinish(scope: ClaimScope, results: readonly StoredResult[]): Statement {
  return {
    name: "results_finish",
    text: `
              with finished as (${selectSentResults(4)}
              ), held as (
                select key_digest
                from evals.claims
                where project_id = $1
                  and run_id = $2
                  and holder = $3
                  and key_digest in (select key_digest from finished)
                order by key_digest
                for update
              ), released as (
                delete from evals.claims
                where project_id = $1
                  and run_id = $2
                  and key_digest in (select key_digest from held)
                returning key_digest
              )
              insert into evals.results (project_id, run_id, ${resultColumns})
              select $1, $2, finished.*
              from finished
              where key_digest in (select key_digest from released)
              on conflict (project_id, run_id, key_digest) do nothing
              returning encode(key_digest, 'hex') as key_digest`,
    values: [scope.projectId, scope.runId, scope.holder, ...resultValues(results)],
  };
}

/**
 * Returns one row if the run accepts claims. The lock keeps a finalize waiting until the claims of this transaction are
 * visible, and a closed run never opens again: the state stays true for the rest of the transaction.
 */
const lockOpenRun = ({ projectId, runId }: ClaimScope): Statement => ({
  name: "run_lock_open",
  text: `
    select id
    from evals.runs
    where project_id = $1
      and id = $2
      and status = 'in_progress'
      and closing_as is null
    for share`,
  values: [projectId, runId],
});

/**
 * One insert for the whole batch, in the order of the digests, so that two batches with the same keys wait for each other
 * instead of deadlocking. An expired claim changes its holder and its submitted result. This statement does not see a result
 * stored while it waited: the caller checks again.
 */
function buildTake(
  { projectId, runId, holder }: ClaimScope,
  results: readonly StoredResult[],
  { leaseMs, resultMs }: { leaseMs: number; resultMs: number },
): Statement {
  return {
    name: "claims_take",
    text: `
      with wanted as (${selectSentResults(6)}
      )
      insert into evals.claims as held (project_id, run_id, holder, lease_until, deadline_at, ${resultColumns})
      select
        $1, $2, $3,
        clock_timestamp() + least($4::double precision, $5) * interval '1 millisecond',
        clock_timestamp() + $5::double precision * interval '1 millisecond',
        wanted.*
      from wanted
      where exists (
        select
        from evals.runs
        where runs.project_id = $1
          and runs.id = $2
          and runs.status = 'in_progress'
          and runs.closing_as is null
      ) and not exists (
        select
        from evals.results
        where results.project_id = $1
          and results.run_id = $2
          and results.key_digest = wanted.key_digest
      )
      order by wanted.key_digest
      on conflict (project_id, run_id, key_digest) do update
      set holder = excluded.holder,
          lease_until = excluded.lease_until,
          deadline_at = excluded.deadline_at,
          id = excluded.id,
          idempotency_key = excluded.idempotency_key,
          case_id = excluded.case_id,
          question_index = excluded.question_index,
          run_number = excluded.run_number,
          is_variant = excluded.is_variant,
          status = excluded.status,
          skip_reason = excluded.skip_reason,
          rating = excluded.rating,
          document = excluded.document,
          submitted_context = excluded.submitted_context
      where held.lease_until < clock_timestamp()
      returning encode(key_digest, 'hex') as key_digest`,
    values: [projectId, runId, holder, leaseMs, resultMs, ...resultValues(results)],
  };
}

interface KeyRow {
  key_digest: string;
  id: string | null;
  document: ResultRow | null;
  is_held: boolean | null;
}

/** The state of each key, one row per key. */
const selectKeys = ({ projectId, runId }: ClaimScope, keyDigests: readonly string[]): Statement => ({
  name: "keys_read_states",
  text: `
    select
      encode(wanted.key_digest, 'hex') as key_digest, results.id, results.document,
      claims.lease_until >= clock_timestamp() as is_held
    from unnest($3::bytea[]) as wanted (key_digest)
    left join evals.results
      on results.project_id = $1
      and results.run_id = $2
      and results.key_digest = wanted.key_digest
    left join evals.claims
      on claims.project_id = $1
      and claims.run_id = $2
      and claims.key_digest = wanted.key_digest`,
  values: [projectId, runId, digestValues(keyDigests)],
});

const keyStatesOf = ({ rows }: { rows: KeyRow[] }): Map<string, KeyState> =>
  new Map(rows.map((row) => [row.key_digest, readState(row)]));

function readState(row: KeyRow): KeyState {
  if (row.id !== null && row.document !== null) {
    return { kind: "stored", result: { id: row.id, row: row.document } };
  }
  if (row.is_held === null) return { kind: "unclaimed" };
  return { kind: row.is_held ? "held" : "expired" };
}
