import { setTimeout as sleep } from "node:timers/promises";
import type { Msg, Subscription } from "@nats-io/transport-node";
import type { RequestContract, ServiceName } from "@touchstone/contracts";
import { type Clock, traced } from "@touchstone/service-kit";
import type { z } from "zod";
import type { Answering, Call } from "./bus.ts";
import type { BusLogger } from "./bus-logger.ts";
import type { Connection } from "./connection.ts";
import type { MuxInbox } from "./mux-inbox.ts";
import { beat, deliver, remainingOf, say, signalMessage, type Work } from "./tell-requester.ts";
import { timings } from "./timings.ts";
import {
  decodeBody,
  type Encoded,
  failureOf,
  header,
  isNobodyThere,
  onNats,
  readHeader,
  readSignal,
  type Signal,
} from "./wire.ts";

export interface AnswerOptions<C extends RequestContract> {
  contract: C;
  handler: (body: z.output<C["body"]>, call: Call) => Promise<z.input<C["reply"]>>;
  concurrency: number;
  service: ServiceName;
  control: MuxInbox;
  clock: Clock;
  logger: BusLogger;
}

/** One member of the queue group that answers a request: the counterpart of `ask.ts`. */
export async function startAnswering<C extends RequestContract>(
  connection: Connection,
  options: AnswerOptions<C>,
): Promise<Answering> {
  const { contract, concurrency, service, control, clock, logger } = options;
  const { subject } = contract;
  if (contract.answeredBy !== service) throw new Error(`${service} does not answer ${subject}`);

  const works = createWorks(connection, options);
  let stopping = false;
  let subscription: Subscription | null = null;

  const forget = connection.watch({
    established(nats) {
      subscription = nats.subscribe(subject, {
        queue: service,
        callback(err, message) {
          if (!err) receive(message);
        },
      });
    },
  });

  function receive(message: Msg): void {
    const replyTo = message.reply;
    const requestId = readHeader(message.headers, header.requestId);
    const remainingMs = readRemaining(message, clock);
    if (!replyTo) return;
    if (!requestId || remainingMs === null) {
      refuse(replyTo, requestId, "no request id or no deadline");
      return;
    }
    const known = works.find(requestId);
    if (known && !known.abort.signal.aborted) {
      // The requester missed our heartbeats and asked again: the same work, with a new inbox.
      known.replyTo = replyTo;
      say(connection, known, "accepted");
      return;
    }
    // Work that was aborted here has no outcome, but another member may still reach one.
    if (known || stopping || works.handling() >= concurrency) {
      connection.send(replyTo, signalMessage("busy"));
      return;
    }
    if (remainingMs <= 0) {
      // It was sent at its end, or names a deadline by another clock: this line is the only trace of it.
      logger.warn({ operation: subject, requestId, lateMs: -remainingMs }, "bus request came too late");
      connection.send(replyTo, signalMessage("expired"));
      return;
    }
    const body = decodeBody(contract.body, message.data);
    if (!body.ok) {
      refuse(replyTo, requestId, body.problem);
      return;
    }
    const work: Work = {
      requestId,
      deadlineAtMs: clock.now() + remainingMs,
      endsMs: performance.now() + remainingMs,
      traceparent: readHeader(message.headers, header.traceparent),
      replyTo,
      control: control.subjectOf(requestId),
      abort: new AbortController(),
      nobodyHeard: false,
    };
    works.start(work, body.body as z.output<C["body"]>);
  }

  /** A request that no member could answer. */
  function refuse(replyTo: string, requestId: string | null, problem: string): void {
    logger.warn({ operation: subject, requestId, problem }, "bus request does not match its contract");
    const message = `The request does not match its contract (${problem})`;
    connection.send(replyTo, signalMessage("failed", { code: "bad_request", message, retryAfterSeconds: null }));
  }

  await connection.firstAttempt;
  await connection.flush();

  return {
    async stop() {
      stopping = true;
      forget();
      // Requests already on their way are still received and answered with busy.
      if (subscription && !subscription.isClosed()) void subscription.drain().catch(() => {});
      await connection.flush();
      await works.stop();
    },
  };
}

// Node.js fires a longer timer immediately.
const timerMaxMs = 2 ** 31 - 1;

/** The requests that this member accepted and has not finished. */
interface Works<Body> {
  find(requestId: string): Work | undefined;
  /** The number of running handlers; a work whose outcome is being delivered has none. */
  handling(): number;
  start(work: Work, body: Body): void;
  /** Waits for the works in progress; those that take too long are handed back. */
  stop(): Promise<void>;
}

function createWorks<C extends RequestContract>(
  connection: Connection,
  options: AnswerOptions<C>,
): Works<z.output<C["body"]>> {
  const { control, logger } = options;
  const { subject } = options.contract;
  const works = new Map<string, Work>();
  const finishing = new Set<Promise<void>>();
  let handling = 0;

  async function finish(work: Work, body: z.output<C["body"]>): Promise<void> {
    const startedAtMs = Date.now();
    const { signal } = work.abort;
    works.set(work.requestId, work);
    handling += 1;
    control.open(work.requestId, (message) => {
      if (isNobodyThere(message)) work.nobodyHeard = true;
      else if (readSignal(message.headers) === "cancel") work.abort.abort(new Error("the requester gave up"));
    });
    say(connection, work, "accepted");
    const beating = beat(connection, work);
    const expiry = setTimeout(
      () => work.abort.abort(new Error("the deadline has passed")),
      Math.min(remainingOf(work), timerMaxMs),
    );
    const { err, ...outcome } = await run(connection, options, work, body);
    handling -= 1;
    clearTimeout(expiry);
    clearInterval(beating);
    const delivered = signal.aborted ? "aborted" : await deliver(connection, work, outcome.message);
    works.delete(work.requestId);
    control.close(work.requestId);
    const durationMs = Date.now() - startedAtMs;
    const facts = { operation: subject, requestId: work.requestId, outcome: outcome.signal, delivered, durationMs };
    if (err === undefined) logger.info(facts, "bus request answered");
    else logger.error({ ...facts, err }, "bus request answered");
  }

  return {
    find: (requestId) => works.get(requestId),
    handling: () => handling,
    start(work, body) {
      const finished = finish(work, body).finally(() => finishing.delete(finished));
      finishing.add(finished);
    },
    async stop() {
      const timeUp = new AbortController();
      const waited = sleep(timings.drainWithinMs, "time up", { signal: timeUp.signal }).catch(() => {});
      if ((await Promise.race([Promise.all(finishing), waited])) === "time up") {
        for (const work of works.values()) {
          say(connection, work, "handed_back");
          work.abort.abort(new Error("this member is stopping"));
        }
      }
      timeUp.abort();
    },
  };
}

interface RunOutcome {
  signal: Signal;
  message: Encoded;
  err?: unknown;
}

/** Runs the handler; there is always an outcome to send. `err` is a bug, for the log. */
async function run<C extends RequestContract>(
  connection: Connection,
  { contract, handler, service }: AnswerOptions<C>,
  work: Work,
  body: z.output<C["body"]>,
): Promise<RunOutcome> {
  const { subject: name } = contract;
  const { requestId, deadlineAtMs, traceparent } = work;
  try {
    const traces = { service, name, kind: "server", attributes: onNats, parent: traceparent } as const;
    const reply = await traced(traces, () =>
      handler(body, { requestId, deadlineAtMs, traceparent, signal: work.abort.signal }),
    );
    const message = signalMessage("replied", contract.reply.parse(reply));
    const limit = connection.payloadLimitBytes();
    if (message.bytes <= limit) return { signal: "replied", message };
    return { signal: "too_large", message: signalMessage("too_large", { bytes: message.bytes, limit }) };
  } catch (err) {
    const failed = failureOf(err);
    const outcome: RunOutcome = { signal: "failed", message: signalMessage("failed", failed) };
    // A cancelled handler may throw anything.
    return failed.code === "internal" && !work.abort.signal.aborted ? { ...outcome, err } : outcome;
  }
}

/** The time left for a request in milliseconds; null if it names none. */
function readRemaining({ headers }: Msg, clock: Clock): number | null {
  const remaining = readHeader(headers, header.remainingMs);
  // The previous version sends only a deadline by its own clock.
  const deadlineAt = readHeader(headers, header.deadlineAtMs);
  const ms =
    remaining !== null ? Number(remaining) : deadlineAt !== null ? Number(deadlineAt) - clock.now() : Number.NaN;
  return Number.isFinite(ms) ? ms : null;
}
