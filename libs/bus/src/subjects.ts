import type { EventContract, ServiceName } from "@touchstone/contracts";

/** The JetStream stream of events, and the stream of events that no handler could process. */
export const eventStream = "TOUCHSTONE_EVENTS";
export const deadLetterStream = "TOUCHSTONE_DEAD_LETTERS";

/**
 * The subjects of the two streams. A replay is stored beside the events, on a subject that only one durable consumer
 * reads.
 */
export const eventStreamSubjects = ["event.>", "replay.>"];
export const deadLetterStreamSubjects = ["dead.>"];

/** The inbox for answers to one bus: `<inbox>.<request id>.<attempt>`. */
export function replyInbox(service: ServiceName, busId = ""): string {
  return `${serviceInbox(service)}.reply${busId && `.${busId}`}`;
}

/** The subject on which requesters cancel work of an answering bus: `<inbox>.<request id>`. */
export function controlInbox(service: ServiceName, busId = ""): string {
  return `${serviceInbox(service)}.control${busId && `.${busId}`}`;
}

/** The prefix of everything that is sent to one client only; others may not subscribe there. */
export function serviceInbox(service: ServiceName | "operator"): string {
  return `_INBOX.${service}`;
}

/**
 * The possible durable consumers of an event in a service: those its contract declares for it, or one under the
 * service's name. The NATS permissions are computed from the same list.
 */
export function durablesOf(contract: EventContract, service: ServiceName): string[] {
  if (!contract.consumedBy.includes(service)) return [];
  const declared = contract.durables?.filter((durable) => durable.startsWith(`${service}-`)) ?? [];
  return declared.length > 0 ? declared : [service];
}

/** Every durable consumer of an event, in all services. */
export function allDurablesOf(contract: EventContract): string[] {
  return contract.consumedBy.flatMap((service) => durablesOf(contract, service));
}

/** The JetStream name of a durable consumer of one event; it may contain no dots. */
export function consumerName(durable: string, eventSubject: string): string {
  return `${durable}_${eventSubject.replaceAll(".", "-")}`;
}

/** The second consumer, which reads events replayed to this durable. */
export function replayConsumerName(durable: string, eventSubject: string): string {
  return `${consumerName(durable, eventSubject)}_replay`;
}

/** The subject of events that one durable could not process. */
export function deadLetterSubject(durable: string, eventSubject: string): string {
  return `dead.${durable}.${eventSubject}`;
}

/** The subject on which a dead letter is published again, for that durable alone. */
export function replaySubject(durable: string, eventSubject: string): string {
  return `replay.${durable}.${eventSubject}`;
}
