import type { Database } from "@touchstone/db";

/** A root that was stored. */
export interface TailRow extends TailPosition {
  projectId: string;
  id: string;
}

/** How far the order of the tail is settled. */
export interface TailState {
  /** Whatever was stored by transactions below is visible, and they store nothing more. */
  horizon: bigint;
  /** Transactions from here on have not begun. */
  nextXid: bigint;
  /** Those below that have not ended; what the others stored is visible. */
  running: ReadonlySet<bigint>;
  /** The newest number of a text at that moment or a little later. */
  lastSeq: bigint;
}

/** Reads what was stored in the order of {@link TailPosition}. */
export interface TailStore {
  readState(): Promise<TailState>;
  /** At most `limit` roots of these projects after a place and below a transaction, in order; only numbers over `seqFloor`. */
  readAfter(range: {
    projectIds: readonly string[];
    after: TailPosition;
    below: bigint;
    seqFloor: bigint;
    limit: number;
  }): Promise<TailRow[]>;
}

export function createTailStore(reading: Database): TailStore {
  return {
    async readState() {
      const { rows } = await reading.query<{ horizon: string; next_xid: string; running: string[]; last_seq: string }>({
        name: "tail_state",
        text: `
          select ingest.tail_horizon() as horizon, pg_snapshot_xmax(pg_current_snapshot()) as next_xid,
            array(select pg_snapshot_xip(pg_current_snapshot())::text) as running,
            coalesce(pg_sequence_last_value('ingest.search_docs_seq_seq'), 0) as last_seq`,
      });
      const [row] = rows;
      if (row === undefined) throw new Error("the state of the tail has one row");
      return {
        horizon: BigInt(row.horizon),
        nextXid: BigInt(row.next_xid),
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
 * A place in the order in which the live tail tells traces: by the transaction that stored them, then by number. Below
 * the oldest running transaction nothing appears any more, so a place once passed stays passed, on every replica.
 */
export interface TailPosition {
  xid: bigint;
  /** 0 = before all of the transaction. */
  seq: bigint;
}
