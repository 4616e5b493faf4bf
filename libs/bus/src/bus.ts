import type { EventContract, RequestContract } from "@touchstone/contracts";
import type { z } from "zod";

/**
 * Communication between services besides HTTP: requests to a queue group of members, and stored events (decision 5).
 * All bodies are JSON and are checked against their contract on both sides. NATS may be unavailable at any moment, also
 * at the start: receivers set themselves up again, senders fail at once. The README describes the protocol.
 */
export interface Bus {
  /**
   * Asks one member of the answering service's queue group and resolves with its reply. A member that is busy, dies or
   * hands the request back is replaced by another within `timeoutMs`; the request id stays the same. Rejects with a
   * {@link BusError}, or with the reason of `signal`; in both cases the member is cancelled.
   */
  request<C extends RequestContract>(
    contract: C,
    body: z.input<C["body"]>,
    options: RequestOptions,
  ): Promise<z.output<C["reply"]>>;

  /**
   * Answers a request as a member of the service's queue group, at most `concurrency` at a time; beyond that this
   * member replies busy at once. An AppError from the handler is sent as code, message and retry delay; of any other
   * error only its occurrence. Resolves after the first attempt to subscribe.
   */
  answer<C extends RequestContract>(
    contract: C,
    handler: (body: z.output<C["body"]>, call: Call) => Promise<z.input<C["reply"]>>,
    options: { concurrency: number },
  ): Promise<Answering>;

  /**
   * Publishes an event; resolves with its position once the event store has it. The same `messageId` within two minutes
   * is stored once. Rejects with a {@link BusError}.
   */
  publish<C extends EventContract>(contract: C, body: z.input<C["body"]>, options: PublishOptions): Promise<EventPlace>;

  /**
   * How far the events of a contract have been consumed; for their publisher. Rejects with a {@link BusError}, also
   * when the event store was replaced during the call.
   */
  readConsumption(contract: EventContract): Promise<Consumption>;

  /**
   * Consumes events as one durable consumer; replicas under the same name share them, and events published while no
   * replica runs are kept. Delivered at least once, in no guaranteed order. If the handler throws, the event is
   * delivered again later; after `maxDeliver` tries it becomes a dead letter. Resolves like `answer`.
   */
  consume<C extends EventContract>(
    contract: C,
    options: ConsumeOptions,
    handler: (body: z.output<C["body"]>, delivery: Delivery) => Promise<void>,
  ): Promise<Consuming>;

  /**
   * Receives every event from now on, on every replica, best effort: events published while NATS or this process is
   * down are missed. Meant for invalidating caches; the handler must not wait for anything. Resolves like `answer`.
   */
  listen<C extends EventContract>(contract: C, handler: (body: z.output<C["body"]>) => void): Promise<Listening>;

  /**
   * Reads the dead letters of one durable consumer, oldest first and at most 1,000 kept ones, and treats each as
   * `decide` returns; returns the counts. A replayed one is published again to that consumer only, has `maxDeliver` new
   * tries and becomes a dead letter again if they fail. Letters that arrive during the call wait for the next one, and
   * letters that another call is reading are skipped.
   */
  sortDeadLetters(
    contract: EventContract,
    durable: string,
    decide: (letter: KeptDeadLetter) => DeadLetterFate,
  ): Promise<Record<DeadLetterFate, number>>;

  status(): "connected" | "disconnected";

  /**
   * Whether the event store accepts events: `ok`, or the reason as a sentence. A cluster without quorum stays connected
   * and stores nothing. For a service that publishes. It asks at most every ten seconds and answers within one.
   */
  checkEvents(): Promise<string>;

  /**
   * How many events wait for each durable consumer that was started here. A consumer that does not exist yet has no
   * entry. Rejects with a {@link BusError}.
   */
  readBacklogs(): Promise<Backlog[]>;

  /** The connected server's message limit; null while disconnected. */
  maxPayloadBytes(): number | null;

  /** Stops everything that was started here, like their `stop`, and closes the connection. */
  drain(): Promise<void>;
}

export interface RequestOptions {
  /** The total time, including all members and pauses. */
  timeoutMs: number;
  /** How long a subject may have no members before the request fails. Default 3,000. */
  nobodyGraceMs?: number | undefined;
  signal?: AbortSignal | undefined;
  /** W3C Trace Context, passed to the handler. */
  traceparent?: string | undefined;
}

export interface PublishOptions {
  messageId: string;
  traceparent?: string | undefined;
}

/** The position of an event in the event store. */
export interface EventPlace {
  /**
   * The identity of the event store, read before the event was sent: a store that was wiped or recreated has another
   * name. So the event may be in a newer store than this, never in an older one.
   */
  store: string;
  /** Counts up from 1 within one store, over all events. */
  sequence: number;
}

/** The consumption of the events of one contract. */
export interface Consumption {
  store: string;
  /** The last sequence that the store assigned. It has lost any event with a greater one. */
  lastSequence: number;
  /**
   * All events of the contract up to this sequence are finished: every durable consumer has acknowledged them, or the
   * store has dropped them by its age and size limits. A consumer that never started has acknowledged nothing.
   */
  doneThrough: number;
}

/** The events of one contract that a durable consumer has not processed. */
export interface Backlog {
  durable: string;
  subject: string;
  /** Events that were not delivered to it yet. */
  pending: number;
  /** Events that were delivered to it and are not acknowledged: in progress, or between two tries. */
  ackPending: number;
}

export interface ConsumeOptions {
  /** One of the contract's `durables`, or the service's own name if it declares none. */
  durable: string;
  /**
   * How long the server waits for a heartbeat of the handler before it delivers again; a running handler sends them.
   */
  ackWaitMs?: number;
  /** Tries before an event becomes a dead letter. Default 5. */
  maxDeliver?: number;
  /** Events in progress at a time. Default 8; one replayed dead letter may come on top. */
  concurrency?: number;
  /** Pause before each retry; the last counts for all that follow. Default 1, 5, 20, 60 s. */
  retryDelaysMs?: readonly number[];
}

/** What a handler knows about its request. */
export interface Call {
  /** Epoch milliseconds by this process's clock; later results are useless. */
  deadlineAtMs: number;
  /** Aborted at the deadline, when the requester gave up or is gone, and when this member must stop. */
  signal: AbortSignal;
  /** The same on every attempt of one request, whichever member receives it. */
  requestId: string;
  traceparent: string | null;
}

/** What a handler knows about its event. */
export interface Delivery {
  /** The publisher's id. */
  messageId: string;
  /** 1 for the first try; a try that ended with the process counts too. */
  attempt: number;
  traceparent: string | null;
}

/** A working member. */
export interface Answering {
  /**
   * Accepts no more requests and waits for those in progress; after 25 s the rest are aborted and handed back to their
   * requesters, who ask another member.
   */
  stop(): Promise<void>;
}

/** A running consumer. */
export interface Consuming {
  /** Accepts no more events and waits up to 25 s for those in progress; the rest are delivered again, elsewhere. */
  stop(): Promise<void>;
}

/** A listener. */
export interface Listening {
  stop(): Promise<void>;
}

/** An event that was given up: the consumer, the event, and the reason. */
export interface DeadLetter {
  durable: string;
  subject: string;
  messageId: string;
  reason: string;
  attempts: number;
}

/** A stored dead letter. */
export interface KeptDeadLetter extends DeadLetter {
  /** Its number among all dead letters, while they are kept. */
  id: string;
  /** ISO 8601. */
  diedAt: string;
  /** As received: JSON, unless that was the error. */
  body: string;
}

/** The decision on a dead letter: keep it, replay it to its consumer, or remove it. */
export type DeadLetterFate = "keep" | "replay" | "drop";
