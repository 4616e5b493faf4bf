/**
 * The clockwork of a request. A member that died is noticed `silentAfterMs` after its last sign at the latest, and
 * signs come every `heartbeatMs`: within 5 s (decision 5).
 */
export const timings = {
  /** A member says accepted or busy within this, or the request is asked again. */
  acceptWithinMs: 2_000,
  heartbeatMs: 1_000,
  /** An accepted request whose member says nothing for this long is asked again. */
  silentAfterMs: 4_000,
  /**
   * How long nobody may answer a subject before the requester gives up: the only member may be restarting, or NATS
   * itself was and the members are still to come back.
   */
  nobodyGraceMs: 3_000,
  /** How long a request in flight waits for a lost connection to come back. */
  reconnectGraceMs: 4_000,
  /** Heartbeats in a row that nobody hears before a member takes its requester for gone. */
  unheardBeatsMax: 4,
  /** How long `stop` and `drain` wait for handlers in hand. */
  drainWithinMs: 25_000,
} as const;
