import { busMessages, type EventContract, type RequestContract, type ServiceName } from "@touchstone/contracts";
import {
  allDurablesOf,
  consumerName,
  controlInbox,
  deadLetterStream,
  deadLetterSubject,
  durablesOf,
  eventStream,
  replayConsumerName,
  replaySubject,
  replyInbox,
  serviceInbox,
} from "./subjects.ts";

/** The subjects a NATS user may publish and subscribe to; an empty list allows nothing. */
export interface NatsPermissions {
  publish: string[];
  subscribe: string[];
}

/**
 * The minimal permissions of a service's NATS user, computed from the contracts: the requests it asks and answers, the
 * events it publishes and consumes, its own inbox. A service that consumes an event may read and replay its own durable
 * consumers of it, and streams only through them. The publisher may read the consumers' progress.
 */
export function natsPermissions(
  service: ServiceName,
  messages: readonly (RequestContract | EventContract)[] = busMessages,
): NatsPermissions {
  const publish = new Set<string>();
  const subscribe = new Set<string>([`${serviceInbox(service)}.>`]);

  for (const message of messages) {
    if (message.kind === "request") {
      if (message.askedBy.includes(service)) {
        publish.add(message.subject).add(`${controlInbox(message.answeredBy)}.>`);
      }
      if (message.answeredBy === service) {
        subscribe.add(message.subject);
        for (const asker of message.askedBy) publish.add(`${replyInbox(asker)}.>`);
      }
      continue;
    }
    if (message.publishedBy === service) {
      publish.add(message.subject).add(`$JS.API.STREAM.CREATE.${eventStream}`);
      publish.add(`$JS.API.STREAM.INFO.${eventStream}`);
      for (const durable of allDurablesOf(message)) {
        publish.add(`$JS.API.CONSUMER.INFO.${eventStream}.${consumerName(durable, message.subject)}`);
      }
    }
    const durables = durablesOf(message, service);
    if (durables.length > 0) {
      subscribe.add(message.subject);
      publish.add(`$JS.API.STREAM.CREATE.${eventStream}`).add(`$JS.API.STREAM.CREATE.${deadLetterStream}`);
    }
    for (const durable of durables) {
      for (const subject of subjectsOfDurable(durable, message.subject)) publish.add(subject);
    }
  }
  return { publish: [...publish].sort(), subscribe: [...subscribe].sort() };
}

/** The permissions of the operator's commands: they read and change the settings of the streams, and no message. */
export const operatorPermissions: NatsPermissions = {
  publish: [eventStream, deadLetterStream].flatMap((stream) => [
    `$JS.API.STREAM.INFO.${stream}`,
    `$JS.API.STREAM.UPDATE.${stream}`,
  ]),
  subscribe: [`${serviceInbox("operator")}.>`],
};

/**
 * The subjects that one durable consumer publishes to: its pulls and acknowledgements, its dead letters and their
 * replay.
 */
function subjectsOfDurable(durable: string, eventSubject: string): string[] {
  const name = consumerName(durable, eventSubject);
  const replay = replaySubject(durable, eventSubject);
  const dead = deadLetterSubject(durable, eventSubject);
  return [
    ...subjectsOfConsumer(eventStream, name, eventSubject),
    ...subjectsOfConsumer(eventStream, replayConsumerName(durable, eventSubject), replay),
    ...subjectsOfConsumer(deadLetterStream, name, dead),
    replay,
    dead,
  ];
}

function subjectsOfConsumer(stream: string, name: string, filterSubject: string): string[] {
  return [
    // The server refuses a consumer whose filter differs from the one in this subject.
    `$JS.API.CONSUMER.CREATE.${stream}.${name}.${filterSubject}`,
    `$JS.API.CONSUMER.INFO.${stream}.${name}`,
    `$JS.API.CONSUMER.MSG.NEXT.${stream}.${name}`,
    `$JS.ACK.${stream}.${name}.>`,
  ];
}
