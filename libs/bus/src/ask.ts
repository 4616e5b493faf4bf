import { randomUUID } from "node:crypto";
import type { Msg } from "@nats-io/transport-node";
import type { ServiceName } from "@touchstone/contracts";
import { type Clock, currentTraceparent, takeLoopTurnIfLarge, traced } from "@touchstone/service-kit";
import type { Bus } from "./bus.ts";
import type { BusLogger } from "./bus-logger.ts";
import type { Connection } from "./connection.ts";
import { createMailbox, type Mailbox } from "./mailbox.ts";
import { createMuxInbox } from "./mux-inbox.ts";
import { type Heard, pursueRequest, stoppedBy } from "./pursue-request.ts";
import { readOutcome } from "./read-outcome.ts";
import { refuseOversize } from "./refuse-oversize.ts";
import { replyInbox } from "./subjects.ts";
import { timings } from "./timings.ts";
import { encodeMessage, encodeText, header, isNobodyThere, onNats, readSignal } from "./wire.ts";

/** The requesting half of the bus; see `Bus.request`. */
export interface Asking {
  request: Bus["request"];
  /** Fails all open requests. */
  close(): void;
}

export function createAsking(
  connection: Connection,
  { service, busId, clock, logger }: { service: ServiceName; busId: string; clock: Clock; logger: BusLogger },
): Asking {
  const open = new Map<Mailbox<Heard>, { subject: string }>();

  const inbox = createMuxInbox(connection, replyInbox(service, busId), (message) => {
    // A member that works on a request that has ended here: it can stop.
    if (message.reply && !isNobodyThere(message)) tellToStop(message.reply);
  });

  connection.watch({
    established: () => tellAll({ kind: "connection_back" }),
    lost: () => tellAll({ kind: "connection_lost" }),
  });

  function tellAll(heard: Heard): void {
    for (const mailbox of open.keys()) mailbox.put(heard);
  }

  function tellToStop(control: string): void {
    connection.send(control, encodeMessage({ [header.signal]: "cancel" }));
  }

  const request: Bus["request"] = async (
    contract,
    body,
    { timeoutMs, nobodyGraceMs = timings.nobodyGraceMs, signal, traceparent = currentTraceparent() },
  ) => {
    const { subject } = contract;
    if (!contract.askedBy.includes(service)) throw new Error(`${service} is not among those that may ask ${subject}`);
    if (!Number.isFinite(timeoutMs)) throw new RangeError("a request needs an end: timeoutMs must be finite");
    signal?.throwIfAborted();
    const endsMs = performance.now() + timeoutMs;
    const text = JSON.stringify(contract.body.parse(body));
    await takeLoopTurnIfLarge(text.length);
    signal?.throwIfAborted();
    if (!connection.current()) throw stoppedBy("disconnected", subject);

    const id = randomUUID();
    const message = encodeText(
      {
        [header.requestId]: id,
        [header.remainingMs]: String(Math.ceil(timeoutMs)),
        [header.deadlineAtMs]: String(Math.round(clock.now() + timeoutMs)),
        [header.traceparent]: traceparent ?? null,
      },
      text,
    );
    refuseOversize(subject, message.bytes, connection.payloadLimitBytes());

    const mailbox = createMailbox<Heard>();
    const onAbort = (): void => mailbox.fail(signal?.reason);
    const ask = (attempt: number): void => {
      message.headers.set(header.remainingMs, String(Math.max(0, Math.ceil(endsMs - performance.now()))));
      connection.send(subject, message, `${inbox.subjectOf(id)}.${attempt}`);
    };
    open.set(mailbox, { subject });
    signal?.addEventListener("abort", onAbort);
    inbox.open(id, (received, attemptText) => {
      const heard = readHeard(received, Number(attemptText));
      if (heard) mailbox.put(heard);
    });
    try {
      const pursued = { id, subject, timeoutMs, nobodyGraceMs, mailbox, ask, tellToStop };
      return readOutcome(contract, await pursueRequest(pursued, logger));
    } finally {
      inbox.close(id);
      signal?.removeEventListener("abort", onAbort);
      open.delete(mailbox);
    }
  };

  return {
    request: (contract, body, options) =>
      traced({ name: contract.subject, kind: "client", attributes: onNats }, () => request(contract, body, options)),
    close() {
      for (const [mailbox, { subject }] of open) mailbox.fail(stoppedBy("disconnected", subject));
    },
  };
}

function readHeard(message: Msg, attempt: number): Heard | null {
  const kind = isNobodyThere(message) ? "nobody_there" : readSignal(message.headers);
  return kind && { kind, attempt, control: message.reply || null, data: message.data };
}
