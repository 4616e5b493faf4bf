import type { EventContract, ServiceName } from "@touchstone/contracts";

/** The JetStream stream that keeps events, and the one that keeps what no handler could take. */
export const eventStream = "TOUCHSTONE_EVENTS";
export const deadLetterStream = "TOUCHSTONE_DEAD_LETTERS";

/** What the two streams keep. A replay lies beside the events, on a subject that only one durable consumer reads. */
export const eventStreamSubjects = ["event.>", "replay.>"];
export const deadLetterStreamSubjects = ["dead.>"];

/** Where the members of a queue group answer one bus: `<inbox>.<request id>.<attempt>`. */
export function replyInbox(service: ServiceName, busId = ""): string {
  return `${serviceInbox(service)}.reply${busId && `.${busId}`}`;
}

/** Where requesters tell an answering bus to stop: `<inbox>.<request id>`. */
export function controlInbox(service: ServiceName, busId = ""): string {
  return `${serviceInbox(service)}.control${busId && `.${busId}`}`;
}

/** The root of everything that is sent to one service only; no other service may listen there. */
export function serviceInbox(service: ServiceName): string {
  return `_INBOX.${service}`;
}

/**
 * The durable consumers a service may have of an event: those its contract declares for it, or else one under its own
 * name. The NATS permissions are computed from the same list.
 */
export function durablesOf(contract: EventContract, service: ServiceName): string[] {
  if (!contract.consumedBy.includes(service)) return [];
  const declared = contract.durables?.filter((durable) => durable.startsWith(`${service}-`)) ?? [];
  return declared.length > 0 ? declared : [service];
}

/** Every durable consumer of an event, whichever service has it. */
export function allDurablesOf(contract: EventContract): string[] {
  return contract.consumedBy.flatMap((service) => durablesOf(contract, service));
}

/** The name under which JetStream knows a durable consumer of one event; its names may hold no dots. */
export function consumerName(durable: string, eventSubject: string): string {
  return `${durable}_${eventSubject.replaceAll(".", "-")}`;
}

/** The consumer beside it that reads what is replayed to this durable. */
export function replayConsumerName(durable: string, eventSubject: string): string {
  return `${consumerName(durable, eventSubject)}_replay`;
}

/** Where an event goes that one durable could not take. */
export function deadLetterSubject(durable: string, eventSubject: string): string {
  return `dead.${durable}.${eventSubject}`;
}

/** Where a dead letter is published again, for that durable alone. */
export function replaySubject(durable: string, eventSubject: string): string {
  return `replay.${durable}.${eventSubject}`;
}
