import { createBackOff } from "./back-off.ts";
import { BusError } from "./bus-error.ts";
import type { BusLogger } from "./bus-logger.ts";
import type { Mailbox } from "./mailbox.ts";
import { timings } from "./timings.ts";
import type { Signal } from "./wire.ts";

/** A message about one request; `control` is the subject on which its member can be stopped. */
export type Heard =
  | { kind: Signal | "nobody_there"; attempt: number; control: string | null; data: Uint8Array }
  | { kind: "connection_lost" | "connection_back" };

/** What ends a request, as a member sent it. */
export type Outcome = { kind: "replied" | "failed" | "too_large" | "expired"; data: Uint8Array };

/** One request in progress. */
export interface PursuedRequest {
  id: string;
  subject: string;
  timeoutMs: number;
  nobodyGraceMs: number;
  mailbox: Mailbox<Heard>;
  /** Sends the request to any member of the queue group. */
  ask(attempt: number): void;
  /** Tells one member to stop. */
  tellToStop(control: string): void;
}

/** The last obstacle to an outcome; the reason of the failure when the time runs out. */
type Obstacle = "timeout" | "busy" | "no_responder" | "disconnected";

const obstacleMessages: Record<Obstacle, string> = {
  timeout: "No outcome came in time",
  busy: "Every member was busy until the time was over",
  no_responder: "No service answers this subject",
  disconnected: "NATS is unavailable",
};

export function stoppedBy(obstacle: Obstacle, subject: string): BusError {
  return new BusError(obstacle, obstacleMessages[obstacle], { subject });
}

/**
 * Follows one request to its outcome, and asks again as often as necessary and its time allows. A state machine:
 * `dueMs` is the deadline of its state. The first member that accepts gets the request; later ones are cancelled. An
 * outcome counts whichever member sends it. Times are of the monotonic clock.
 */
export async function pursueRequest(request: PursuedRequest, logger: BusLogger): Promise<Outcome> {
  const { subject, mailbox } = request;
  const nowMs = () => performance.now();
  const busyBackOff = createBackOff({ firstMs: 50, mostMs: 1_000 });
  const nobodyBackOff = createBackOff({ firstMs: 100, mostMs: 250 });
  const deadlineMs = nowMs() + request.timeoutMs;
  let state: "asking" | "asked" | "working" | "cut_off" = "asking";
  let dueMs = nowMs();
  let attempt = 0;
  let member: string | null = null;
  let nobodySinceMs: number | null = null;
  let obstacle: Obstacle = "timeout";

  try {
    for (;;) {
      if (nowMs() >= deadlineMs) throw stoppedBy(obstacle, subject);
      if (nowMs() >= dueMs) {
        if (state === "cut_off") throw stoppedBy("disconnected", subject);
        if (state !== "asking") {
          const facts = { operation: subject, requestId: request.id, attempt, state };
          logger.warn(facts, "bus member fell silent; asking again");
          obstacle = "timeout";
        }
        member = null;
        attempt += 1;
        state = "asked";
        dueMs = nowMs() + timings.acceptWithinMs;
        request.ask(attempt);
      }

      const heard = await mailbox.next(Math.max(0, Math.min(dueMs, deadlineMs) - nowMs()));
      if (heard === null) continue;
      switch (heard.kind) {
        case "accepted":
        case "working":
          member ??= heard.control;
          if (heard.control !== member) {
            if (heard.control) request.tellToStop(heard.control);
            break;
          }
          state = "working";
          dueMs = nowMs() + timings.silentAfterMs;
          obstacle = "timeout";
          nobodySinceMs = null;
          break;
        case "busy":
          if (state !== "asked" || heard.attempt !== attempt) break;
          state = "asking";
          dueMs = nowMs() + busyBackOff.nextMs();
          obstacle = "busy";
          nobodySinceMs = null;
          break;
        case "nobody_there":
          if (state !== "asked" || heard.attempt !== attempt) break;
          nobodySinceMs ??= nowMs();
          obstacle = "no_responder";
          if (nowMs() - nobodySinceMs >= request.nobodyGraceMs) throw stoppedBy(obstacle, subject);
          state = "asking";
          dueMs = nowMs() + nobodyBackOff.nextMs();
          break;
        case "handed_back":
          if (heard.control !== member) break;
          member = null;
          state = "asking";
          dueMs = nowMs();
          break;
        case "connection_lost":
          state = "cut_off";
          obstacle = "disconnected";
          dueMs = nowMs() + timings.reconnectGraceMs;
          break;
        case "connection_back":
          // A member at work continues if it is alive. A request that was not accepted may never have arrived.
          state = member ? "working" : "asking";
          obstacle = "timeout";
          dueMs = nowMs() + (member ? timings.silentAfterMs : 0);
          break;
        case "replied":
        case "failed":
        case "too_large":
        case "expired":
          if (heard.control === member) member = null;
          return { kind: heard.kind, data: heard.data };
        case "cancel":
          break;
      }
    }
  } finally {
    if (member) request.tellToStop(member);
  }
}
