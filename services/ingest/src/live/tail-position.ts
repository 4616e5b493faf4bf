/**
 * A place in the order in which the live tail tells traces: by the transaction that stored them, then by number. Below
 * the oldest running transaction nothing appears any more, so a place once passed stays passed, on every replica.
 */
export interface TailPosition {
  xid: bigint;
  /** 0 = before all of the transaction. */
  seq: bigint;
}
