import { setTimeout as sleep } from "node:timers/promises";
import type { Connection } from "./connection.ts";
import { timings } from "./timings.ts";
import { type Encoded, encodeMessage, header, type Signal } from "./wire.ts";

/** One request that this member accepted. */
export interface Work {
  requestId: string;
  deadlineAtMs: number;
  /** The same by the monotonic clock. */
  endsMs: number;
  traceparent: string | null;
  /** The requester's inbox. It changes when the requester asks again and reaches the same member. */
  replyTo: string;
  /** The subject for cancels from the requester and for the server's no-responders notice. */
  control: string;
  abort: AbortController;
  /** Set by the server's no-responders notice since the last message. */
  nobodyHeard: boolean;
}

/** Sends a signal without waiting; it is lost while there is no connection. */
export function say(connection: Connection, work: Work, signal: Signal): void {
  connection.send(work.replyTo, signalMessage(signal), work.control);
}

/** Sends a heartbeat every second until the timer is cleared, and aborts the work when the requester is gone. */
export function beat(connection: Connection, work: Work): NodeJS.Timeout {
  let unheard = 0;
  let waiting = false;
  return setInterval(async () => {
    if (waiting) return;
    waiting = true;
    const heard = await tell(connection, work, signalMessage("working"));
    waiting = false;
    // Only the server's notice counts: while we are disconnected, we know nothing of the requester.
    if (heard === "nobody") unheard += 1;
    if (heard === "heard") unheard = 0;
    if (unheard >= timings.unheardBeatsMax) work.abort.abort(new Error("the requester is gone"));
  }, timings.heartbeatMs);
}

/** Sends the outcome; waits out a short absence of the requester or the connection. */
export async function deliver(
  connection: Connection,
  work: Work,
  message: Encoded,
): Promise<"heard" | "nobody" | "cut_off"> {
  let expiry: AbortSignal | null = null;
  for (let unheard = 0; ; ) {
    const heard = await tell(connection, work, message);
    if (heard === "heard") return heard;
    expiry ??= AbortSignal.any([work.abort.signal, AbortSignal.timeout(remainingOf(work))]);
    if (heard === "nobody") {
      unheard += 1;
      await sleep(timings.heartbeatMs, undefined, { signal: expiry }).catch(() => {});
    } else if ((await connection.untilConnected(expiry)) === null) return heard;
    if (unheard >= timings.unheardBeatsMax || expiry.aborted) return heard;
  }
}

/**
 * Sends a message and finds out whether there was a receiver: the server's no-responders notice arrives on the
 * control subject before the answer to the flush.
 */
async function tell(connection: Connection, work: Work, message: Encoded): Promise<"heard" | "nobody" | "cut_off"> {
  work.nobodyHeard = false;
  if (!connection.send(work.replyTo, message, work.control)) return "cut_off";
  if (!(await connection.flush())) return "cut_off";
  return work.nobodyHeard ? "nobody" : "heard";
}

/** The milliseconds left for a work, for a timer of Node.js, which accepts whole ones only. */
export function remainingOf({ endsMs }: Work): number {
  return Math.max(0, Math.ceil(endsMs - performance.now()));
}

/** A message of a member to its requester. */
export function signalMessage(signal: Signal, body?: unknown): Encoded {
  return encodeMessage({ [header.signal]: signal }, body);
}
