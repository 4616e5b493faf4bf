import type { TailState, TailStore } from "./tail-store.ts";

/** A long transaction may hold the tail back; older entries are not worth keeping. */
const floorsMax = 64;

/**
 * Lower bounds for the text numbers of transactions, so that reading the tail skips all older pieces. A transaction
 * that had not begun when the newest number was read uses greater ones.
 */
export interface SeqFloors {
  /** Reads the state and records it. */
  readState(): Promise<TailState>;
  /** A number below all texts of this and later transactions. */
  floorOf(xid: bigint): bigint;
}

export function createSeqFloors({ readState }: Pick<TailStore, "readState">): SeqFloors {
  let floors: { xid: bigint; seq: bigint }[] = [];
  let newest: TailState | null = null;
  return {
    async readState() {
      // The number from this read may be younger than its transactions, and so may that of a concurrent read.
      const before = newest;
      const state = await readState(before?.lastSeq ?? null);
      // Not the end of the snapshot: a transaction beyond it may have begun long ago, with a number from then.
      const { begunBefore } = state;
      if (before !== null && begunBefore !== null && floors.length < floorsMax) {
        floors.push({ xid: begunBefore, seq: before.lastSeq });
      }
      newest = state;
      return state;
    },
    floorOf(xid) {
      const reached = floors.findLastIndex((floor) => floor.xid <= xid);
      if (reached < 0) return 0n;
      floors = floors.slice(reached);
      return floors[0]?.seq ?? 0n;
    },
  };
}
