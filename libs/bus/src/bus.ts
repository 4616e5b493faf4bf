import type { EventContract, RequestContract } from "@touchstone/contracts";
import type { z } from "zod";

/**
 * How services talk besides HTTP: requests to a queue group of members, and events that are kept (decision 5).
 * All bodies are JSON and are checked against their contract on both sides. NATS may be away at any moment, also at
 * the start: what listens sets itself up again, what speaks fails at once. See the README for the protocol.
 */
export interface Bus {
  /**
   * Asks one member of the answering service's queue group and resolves with its reply. A member that is busy, dies
   * or hands the request back is replaced by another as long as `timeoutMs` allows; the request id stays the same.
   * Rejects with a {@link BusError}, or with the reason of `signal`; either way the member is told to stop.
   */
  request<C extends RequestContract>(
    contract: C,
    body: z.input<C["body"]>,
    options: RequestOptions,
  ): Promise<z.output<C["reply"]>>;

  /**
   * Answers a request as a member of the service's queue group, at most `concurrency` at a time; beyond that this
   * member says busy at once. An AppError that the handler throws crosses as code, message and retry delay; of any
   * other error only that there was one. Resolves once the first attempt to subscribe is over.
   */
  answer<C extends RequestContract>(
    contract: C,
    handler: (body: z.output<C["body"]>, call: Call) => Promise<z.input<C["reply"]>>,
    options: { concurrency: number },
  ): Promise<Answering>;

  /**
   * Publishes an event; resolves only when the event store has it, with its place there. The same `messageId` within
   * two minutes is stored once. Rejects with a {@link BusError}.
   */
  publish<C extends EventContract>(contract: C, body: z.input<C["body"]>, options: PublishOptions): Promise<EventPlace>;

  /**
   * How far the events of a contract have been consumed; for who publishes them. Rejects with a {@link BusError}, also
   * when the event store was replaced while it was asked.
   */
  readConsumption(contract: EventContract): Promise<Consumption>;

  /**
   * Takes the events of one durable consumer; every replica that consumes under the same name shares them, and what
   * is published while none does is kept. Delivered at least once, in no promised order. A handler that throws is
   * called again later; after `maxDeliver` tries the event becomes a dead letter. Resolves as `answer` does.
   */
  consume<C extends EventContract>(
    contract: C,
    options: ConsumeOptions,
    handler: (body: z.output<C["body"]>, delivery: Delivery) => Promise<void>,
  ): Promise<Consuming>;

  /**
   * Hears every event from now on, on every replica, best effort: what is published while NATS or this process is
   * away is missed. For dropping what is cached; the handler must not wait for anything. Resolves as `answer` does.
   */
  listen<C extends EventContract>(contract: C, handler: (body: z.output<C["body"]>) => void): Promise<Listening>;

  /**
   * Shows the dead letters of one durable consumer, the oldest first and at most 1,000 that are kept, and does with each
   * what `decide` says; answers how many met which fate. A replayed one is published again to that consumer only, has
   * `maxDeliver` new tries and dies again if they fail. Those that die meanwhile wait for the next look, and what somebody
   * else is looking at is not shown.
   */
  sortDeadLetters(
    contract: EventContract,
    durable: string,
    decide: (letter: KeptDeadLetter) => DeadLetterFate,
  ): Promise<Record<DeadLetterFate, number>>;

  status(): "connected" | "disconnected";

  /** What the connected server carries per message; null while disconnected. */
  maxPayloadBytes(): number | null;

  /** Stops all that was started here, as their `stop` does, and closes the connection. */
  drain(): Promise<void>;
}

export interface RequestOptions {
  /** The whole time, all members and pauses included. */
  timeoutMs: number;
  /** How long nobody may be there to answer before it is given up. Default 3,000. */
  nobodyGraceMs?: number | undefined;
  signal?: AbortSignal | undefined;
  /** W3C Trace Context, handed to the handler. */
  traceparent?: string | undefined;
}

export interface PublishOptions {
  messageId: string;
  traceparent?: string | undefined;
}

/** Where the event store put an event. */
export interface EventPlace {
  /**
   * Which event store, known before the event was sent: a store that was wiped or made anew has another name. So the
   * event may be in a newer store than this says, never in an older one.
   */
  store: string;
  /** Counts up from 1 within one store, over all events. */
  sequence: number;
}

/** What became of the events of one contract. */
export interface Consumption {
  store: string;
  /** The last sequence the store gave. What it is said to have put above that, it has lost. */
  lastSequence: number;
  /**
   * All events of the contract up to this sequence are done with: every durable consumer of it has acknowledged them, or
   * the store has dropped them by its limits on age and size. A consumer that never started has acknowledged nothing.
   */
  doneThrough: number;
}

export interface ConsumeOptions {
  /** One of the contract's `durables`, or the service's own name if it declares none. */
  durable: string;
  /** How long the server waits for a sign of a handler before it delivers again; a running handler gives it. */
  ackWaitMs?: number;
  /** Tries before an event becomes a dead letter. Default 5. */
  maxDeliver?: number;
  /** Events in hand at a time. Default 8; one replayed dead letter may come on top. */
  concurrency?: number;
  /** Pause before each retry; the last counts for all that follow. Default 1, 5, 20, 60 s. */
  retryDelaysMs?: readonly number[];
}

/** What a handler knows of the request it answers. */
export interface Call {
  /** Epoch milliseconds by the requester's clock; what is not done by then is of no use. */
  deadlineAtMs: number;
  /** Aborted at the deadline, when the requester gave up or is gone, and when this member must stop. */
  signal: AbortSignal;
  /** The same on every attempt of one request, whichever members it meets. */
  requestId: string;
  traceparent: string | null;
}

/** What a handler knows of the event it was given. */
export interface Delivery {
  /** The id the publisher gave. */
  messageId: string;
  /** 1 for the first try; a try that ended with the process counts too. */
  attempt: number;
  traceparent: string | null;
}

/** A member at work. */
export interface Answering {
  /**
   * Takes no more requests and waits for those in hand; what is not done within 25 s is aborted and handed back to
   * its requester, who asks another member.
   */
  stop(): Promise<void>;
}

/** A consumer at work. */
export interface Consuming {
  /** Takes no more events and waits up to 25 s for those in hand; the rest are delivered again, elsewhere. */
  stop(): Promise<void>;
}

/** A listener. */
export interface Listening {
  stop(): Promise<void>;
}

/** An event that was given up: which consumer, which event, and why. */
export interface DeadLetter {
  durable: string;
  subject: string;
  messageId: string;
  reason: string;
  attempts: number;
}

/** A dead letter as it lies there. */
export interface KeptDeadLetter extends DeadLetter {
  /** Of this letter among all dead letters, while they are kept. */
  id: string;
  /** ISO 8601. */
  diedAt: string;
  /** As it came: JSON, unless that was what was wrong with it. */
  body: string;
}

/** What becomes of a dead letter: it stays, its consumer gets it again, or it is removed. */
export type DeadLetterFate = "keep" | "replay" | "drop";
