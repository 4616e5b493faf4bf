import type { TailState, TailStore } from "./tail-store.ts";

/** The tail may stand still behind a long transaction; older knowledge is worth no more than this. */
const floorsMax = 64;

/**
 * From which number on the texts of a transaction are found, so that reading the tail leaves out all older pieces. A
 * transaction that had not begun when the newest number was read takes greater ones.
 */
export interface SeqFloors {
  /** Reads the state, and learns from it. */
  readState(): Promise<TailState>;
  /** A number that every text of this transaction and of later ones is over. */
  floorOf(xid: bigint): bigint;
}

export function createSeqFloors({ readState }: Pick<TailStore, "readState">): SeqFloors {
  let floors: { xid: bigint; seq: bigint }[] = [];
  let newest: TailState | null = null;
  return {
    async readState() {
      // The number of this reading may be younger than its transactions, and so may that of one under way at the same time.
      const before = newest;
      const state = await readState();
      if (before !== null && floors.length < floorsMax) floors.push({ xid: state.nextXid, seq: before.lastSeq });
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
