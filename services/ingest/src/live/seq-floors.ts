import type { TailState } from "./tail-store.ts";

/** The tail may stand still behind a long transaction; older knowledge is worth no more than this. */
const floorsMax = 64;

/**
 * From which number on the texts of a transaction are found, so that reading the tail leaves out all older pieces. A
 * transaction that had not begun when the newest number was read takes greater ones.
 */
export interface SeqFloors {
  learn(state: TailState): void;
  /** A number that every text of this transaction and of later ones is over. */
  floorOf(xid: bigint): bigint;
}

export function createSeqFloors(): SeqFloors {
  let floors: { xid: bigint; seq: bigint }[] = [];
  let before: TailState | null = null;
  return {
    learn(state) {
      // The number of this reading may be younger than its transactions; that of the one before is not.
      if (before !== null && floors.length < floorsMax) floors.push({ xid: state.nextXid, seq: before.lastSeq });
      before = state;
    },
    floorOf(xid) {
      const reached = floors.findLastIndex((floor) => floor.xid <= xid);
      if (reached < 0) return 0n;
      floors = floors.slice(reached);
      return floors[0]?.seq ?? 0n;
    },
  };
}
