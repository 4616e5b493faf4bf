/**
 * A place in the order in which the live tail tells traces: by the transaction that stored them, then by number. Below
 * the oldest running transaction nothing appears any more, so a place once passed stays passed, on every replica.
 */
export interface TailPosition {
  xid: bigint;
  /** 0 = before all of the transaction. */
  seq: bigint;
}

/** What a reader sends back to go on after a place: the place and when it was told (epoch milliseconds). */
export interface EventId {
  position: TailPosition;
  atMs: number;
}

export function formatEventId({ position, atMs }: EventId): string {
  return `${position.xid}-${position.seq}-${Math.trunc(atMs)}`;
}

/** Null when the text is no event id of ours. */
export function parseEventId(text: string): EventId | null {
  const match = /^(\d{1,19})-(\d{1,18})-(\d{1,15})$/.exec(text);
  if (match === null) return null;
  const [xid, seq, atMs] = match.slice(1) as [string, string, string];
  return { position: { xid: BigInt(xid), seq: BigInt(seq) }, atMs: Number(atMs) };
}
