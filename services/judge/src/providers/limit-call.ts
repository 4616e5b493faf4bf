import type { Call } from "@touchstone/bus";
import { deadlines } from "@touchstone/contracts";
import type { Clock } from "@touchstone/service-kit";
import { limitTime } from "../scheduling/time-limit.ts";
import type { CallOptions } from "./provider.ts";

/** The time between sending the reply and the requester's deadline, so that finished results arrive in time. */
const replyMarginMs = 1_000;

/**
 * Executes one request for its payer: its signal aborts when the requester is gone, and early enough before the requester's
 * deadline (at most `deadlines.resultMs` from now) that the reply still arrives.
 */
export async function limitCall<Result>(
  call: Call,
  payer: { projectId: string },
  clock: Clock,
  work: (options: CallOptions) => Promise<Result>,
): Promise<Result> {
  const leftMs = Math.max(0, Math.min(call.deadlineAtMs - clock.now(), deadlines.resultMs));
  const workMs = leftMs - Math.min(replyMarginMs, leftMs / 4);
  const limit = limitTime(call.signal, workMs);
  try {
    return await work({ group: payer.projectId, signal: limit.signal, deadlineAtMs: clock.now() + workMs });
  } finally {
    limit.clear();
  }
}
