/**
 * The timings of a request. A dead member is noticed at most `silentAfterMs` after its last heartbeat, and heartbeats
 * are sent every `heartbeatMs`: within 5 s (decision 5).
 */
export const timings = {
  /** A member replies accepted or busy within this time, or the request is asked again. */
  acceptWithinMs: 2_000,
  heartbeatMs: 1_000,
  /** An accepted request whose member is silent for this long is asked again. */
  silentAfterMs: 4_000,
  /**
   * How long a subject may have no members before the requester gives up: the only member may be restarting, or NATS
   * itself was, and the members are reconnecting.
   */
  nobodyGraceMs: 3_000,
  /** How long an open request waits for a lost connection to return. */
  reconnectGraceMs: 4_000,
  /** The number of consecutive heartbeats without a receiver after which the requester counts as gone. */
  unheardBeatsMax: 4,
  /** How long `stop` and `drain` wait for running handlers. */
  drainWithinMs: 25_000,
} as const;
