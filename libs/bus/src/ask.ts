import { randomUUID } from "node:crypto";
import type { Msg } from "@nats-io/transport-node";
import type { RequestContract, ServiceName } from "@touchstone/contracts";
import type { z } from "zod";
import { createBackOff } from "./back-off.ts";
import type { RequestOptions } from "./bus.ts";
import { BusError } from "./bus-error.ts";
import type { BusLogger } from "./bus-logger.ts";
import type { Connection } from "./connection.ts";
import { createMailbox, type Mailbox } from "./mailbox.ts";
import { createMuxInbox } from "./mux-inbox.ts";
import { refuseOversize } from "./refuse-oversize.ts";
import { replyInbox } from "./subjects.ts";
import { timings } from "./timings.ts";
import {
  decodeBody,
  type Encoded,
  encodeMessage,
  failure,
  header,
  isNobodyThere,
  oversize,
  readSignal,
  type Signal,
} from "./wire.ts";

/** What a requester hears about one request; `control` is where the member that spoke can be told to stop. */
type Heard =
  | { kind: Signal | "nobody_there"; attempt: number; control: string | null; data: Uint8Array }
  | { kind: "connection_lost" | "connection_back" };
type Outcome = { kind: "replied" | "failed" | "too_large" | "expired"; data: Uint8Array };

interface Request {
  id: string;
  subject: string;
  message: Encoded;
  deadlineAtMs: number;
  mailbox: Mailbox<Heard>;
}

/** The requesting half of the bus. */
export interface Asking {
  request<C extends RequestContract>(
    contract: C,
    body: z.input<C["body"]>,
    options: RequestOptions,
  ): Promise<z.output<C["reply"]>>;
  /** Fails whatever is still open. */
  close(): void;
}

export function createAsking(
  connection: Connection,
  { service, busId, logger }: { service: ServiceName; busId: string; logger: BusLogger },
): Asking {
  const open = new Set<Request>();

  const inbox = createMuxInbox(connection, replyInbox(service, busId), (message) => {
    // A member at work on a request that has ended here: it need not go on.
    if (message.reply && !isNobodyThere(message)) tellToStop(message.reply);
  });

  connection.watch({
    established: () => tellAll({ kind: "connection_back" }),
    lost: () => tellAll({ kind: "connection_lost" }),
  });

  function tellAll(heard: Heard): void {
    for (const request of open) request.mailbox.put(heard);
  }

  function tellToStop(control: string): void {
    connection.send(control, encodeMessage({ [header.signal]: "cancel" }));
  }

  function ask(request: Request, attempt: number): void {
    connection.send(request.subject, request.message, `${inbox.subjectOf(request.id)}.${attempt}`);
  }

  /**
   * The life of one request, one state machine: `due` is when patience ends with the state it is in. The first
   * member that accepts is the one; whoever else does is told to stop. An outcome counts whoever sends it.
   */
  async function untilOutcome(request: Request): Promise<Outcome> {
    const busyBackOff = createBackOff({ firstMs: 50, mostMs: 1_000 });
    const nobodyBackOff = createBackOff({ firstMs: 100, mostMs: 250 });
    let state: "asking" | "asked" | "working" | "cut_off" = "asking";
    let due = Date.now();
    let attempt = 0;
    let member: string | null = null;
    let nobodySinceMs: number | null = null;
    // What stood between the request and its outcome last; the reason if the time runs out.
    let obstacle: Obstacle = "timeout";

    try {
      for (;;) {
        const nowMs = Date.now();
        if (nowMs >= request.deadlineAtMs) {
          throw stoppedBy(obstacle, request.subject);
        }
        if (nowMs >= due) {
          if (state === "cut_off") throw stoppedBy("disconnected", request.subject);
          if (state !== "asking") {
            const facts = { operation: request.subject, requestId: request.id, attempt, state };
            logger.warn(facts, "bus member fell silent; asking again");
            obstacle = "timeout";
          }
          member = null;
          attempt += 1;
          state = "asked";
          due = nowMs + timings.acceptWithinMs;
          ask(request, attempt);
        }

        const heard = await request.mailbox.next(Math.min(due, request.deadlineAtMs) - Date.now());
        if (heard === null) continue;
        switch (heard.kind) {
          case "accepted":
          case "working":
            member ??= heard.control;
            if (heard.control !== member) {
              if (heard.control) tellToStop(heard.control);
              break;
            }
            state = "working";
            due = Date.now() + timings.silentAfterMs;
            obstacle = "timeout";
            nobodySinceMs = null;
            break;
          case "busy":
            if (state !== "asked" || heard.attempt !== attempt) break;
            state = "asking";
            due = Date.now() + busyBackOff.nextMs();
            obstacle = "busy";
            nobodySinceMs = null;
            break;
          case "nobody_there":
            if (state !== "asked" || heard.attempt !== attempt) break;
            nobodySinceMs ??= Date.now();
            obstacle = "no_responder";
            if (Date.now() - nobodySinceMs >= timings.nobodyGraceMs) throw stoppedBy(obstacle, request.subject);
            state = "asking";
            due = Date.now() + nobodyBackOff.nextMs();
            break;
          case "handed_back":
            if (heard.control !== member) break;
            member = null;
            state = "asking";
            due = Date.now();
            break;
          case "connection_lost":
            state = "cut_off";
            obstacle = "disconnected";
            due = Date.now() + timings.reconnectGraceMs;
            break;
          case "connection_back":
            // A member that was at work still is, if it lives. What was not accepted may never have arrived.
            state = member ? "working" : "asking";
            obstacle = "timeout";
            due = Date.now() + (member ? timings.silentAfterMs : 0);
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
      if (member) tellToStop(member);
    }
  }

  return {
    async request(contract, body, options) {
      if (!contract.askedBy.includes(service)) {
        throw new Error(`${service} is not among those that may ask ${contract.subject}`);
      }
      options.signal?.throwIfAborted();
      const { subject } = contract;
      const checked = contract.body.parse(body);
      if (!connection.current()) throw stoppedBy("disconnected", subject);

      const id = randomUUID();
      const deadlineAtMs = Date.now() + options.timeoutMs;
      const message = encodeMessage(
        {
          [header.requestId]: id,
          [header.deadlineAtMs]: String(deadlineAtMs),
          [header.traceparent]: options.traceparent ?? null,
        },
        checked,
      );
      refuseOversize(subject, message.bytes, connection.payloadLimitBytes());

      const mailbox = createMailbox<Heard>();
      const request: Request = { id, subject, message, deadlineAtMs, mailbox };
      const onAbort = (): void => mailbox.fail(options.signal?.reason);
      options.signal?.addEventListener("abort", onAbort);
      inbox.open(id, (received, attemptText) => {
        const heard = readHeard(received, Number(attemptText));
        if (heard) mailbox.put(heard);
      });
      open.add(request);
      try {
        return readOutcome(contract, await untilOutcome(request));
      } finally {
        open.delete(request);
        inbox.close(id);
        options.signal?.removeEventListener("abort", onAbort);
      }
    },
    close() {
      for (const request of open) request.mailbox.fail(stoppedBy("disconnected", request.subject));
    },
  };
}

type Obstacle = "timeout" | "busy" | "no_responder" | "disconnected";
const obstacleMessages: Record<Obstacle, string> = {
  timeout: "No outcome came in time",
  busy: "Every member was busy until the time was over",
  disconnected: "NATS is away",
  no_responder: "Nobody answers this subject",
};

function stoppedBy(obstacle: Obstacle, subject: string): BusError {
  return new BusError(obstacle, obstacleMessages[obstacle], { subject });
}

function readHeard(message: Msg, attempt: number): Heard | null {
  const kind = isNobodyThere(message) ? "nobody_there" : readSignal(message.headers);
  return kind && { kind, attempt, control: message.reply || null, data: message.data };
}

/** The reply, or the error that an outcome of another kind means to the caller. */
function readOutcome<C extends RequestContract>(contract: C, outcome: Outcome): z.output<C["reply"]> {
  const { subject } = contract;
  switch (outcome.kind) {
    case "replied": {
      const reply = decodeBody(contract.reply, outcome.data);
      if (reply.ok) return reply.body as z.output<C["reply"]>;
      const message = `The reply does not match its contract (${reply.problem})`;
      throw new BusError("invalid_reply", message, { subject, cause: reply.cause });
    }
    case "failed": {
      // An error code that only a newer member knows is a failure all the same.
      const failed = decodeBody(failure, outcome.data);
      if (!failed.ok) throw new BusError("failed", "Internal error", { subject, code: "internal" });
      const { code, message, retryAfterSeconds } = failed.body;
      throw new BusError("failed", message, {
        subject,
        code,
        ...(retryAfterSeconds !== null && { retryAfterSeconds }),
      });
    }
    case "too_large": {
      const size = decodeBody(oversize, outcome.data);
      throw new BusError("too_large", "The reply is larger than the bus carries", {
        subject,
        ...(size.ok && size.body),
      });
    }
    case "expired":
      throw new BusError("timeout", "The request reached a member after its deadline", { subject });
  }
}
