import type { Database } from "@touchstone/db";

/** A stored root. */
export interface TailRow extends TailPosition {
  projectId: string;
  id: string;
}

/** The settled part of the tail's order. */
export interface TailState {
  /** Transactions below have ended, and their rows are visible. */
  horizon: bigint;
  /** No transaction from here on has ended; some may have begun. */
  nextXid: bigint;
  /** Transactions above began after this read did. Null if no text was numbered since the known one. */
  begunBefore: bigint | null;
  /** The unfinished transactions below that; rows of the others are visible. */
  running: ReadonlySet<bigint>;
  /** The newest text number at that moment or slightly later. */
  lastSeq: bigint;
}

/** Reads stored roots in the order of {@link TailPosition}. */
export interface TailStore {
  /** `knownSeq`: the newest text number of an earlier read; null if there was none. */
  readState(knownSeq: bigint | null): Promise<TailState>;
  /**
   * At most `limit` roots of these projects after a position and below a transaction, in order; only numbers above
   * `seqFloor`.
   */
  readAfter(range: {
    projectIds: readonly string[];
    after: TailPosition;
    below: bigint;
    seqFloor: bigint;
    limit: number;
  }): Promise<TailRow[]>;
}

interface StateRecord extends Record<string, unknown> {
  horizon: string;
  next_xid: string;
  own_xid: string | null;
  running: string[];
  last_seq: string;
}

export function createTailStore(reading: Database): TailStore {
  return {
    async readState(knownSeq) {
      const { rows } = await reading.query<StateRecord>({
        name: "tail_state",
        text: `
          select ingest.tail_horizon() as horizon, pg_snapshot_xmax(pg_current_snapshot()) as next_xid,
            case when last_seq > $1::bigint then pg_current_xact_id() end as own_xid,
            array(select pg_snapshot_xip(pg_current_snapshot())::text) as running, last_seq
          from (
            select coalesce(pg_sequence_last_value('ingest.search_docs_seq_seq'), 0) as last_seq
            offset 0
          ) numbered`,
        values: [knownSeq === null ? null : String(knownSeq)],
      });
      const [row] = rows;
      if (row === undefined) throw new Error("the state of the tail has one row");
      return {
        horizon: BigInt(row.horizon),
        nextXid: BigInt(row.next_xid),
        begunBefore: row.own_xid === null ? null : BigInt(row.own_xid),
        running: new Set(row.running.map(BigInt)),
        lastSeq: BigInt(row.last_seq),
      };
    },
    async readAfter({ projectIds, after, below, seqFloor, limit }) {
      const { rows } = await reading.readScoped<{ project_id: string; id: string; xid: string; seq: string }>(
        projectIds,
        {
          name: "tail_read",
          text: `
          select project_id, id, xid, seq
          from ingest.search_docs
          where project_id = any ($1::uuid[]) and seq > $2
            and xid >= $3 and xid < $4 and (xid > $3 or seq > $5)
          order by xid, seq
          limit $6`,
          values: [projectIds, String(seqFloor), String(after.xid), String(below), String(after.seq), limit],
        },
      );
      return rows.map((row) => ({
        projectId: row.project_id,
        id: row.id,
        xid: BigInt(row.xid),
        seq: BigInt(row.seq),
      }));
    },
  };
}

/**
 * A position in the order of the live tail: by the transaction that stored the trace, then by number. Below the oldest
 * running transaction no rows can appear, so a position once passed stays passed, on every replica.
 */
export interface TailPosition {
  xid: bigint;
  /** 0 = before the whole transaction. */
  seq: bigint;
}
