import { z } from "zod";
import type { EventContract, RequestContract } from "./bus/define.ts";

/** One message in the golden file of the bus: its sender and receivers, and the JSON Schema of its body. */
export type BusDescription = {
  subject: string;
  kind: "request" | "event";
  /** The service that answers the request, or publishes the event. */
  owner: string;
  /** The services that ask. Only on requests. */
  askers?: string[];
  /** The services that consume it. Only on events. */
  consumers?: string[];
  body: unknown;
  /** Only on requests. */
  reply?: unknown;
};

/**
 * Describes the messages of the bus, in the order of their subjects. Throws for a schema that JSON Schema cannot
 * express, such as a transform: both sides of the bus parse the same JSON, so a contract must describe JSON.
 */
export function describeBus(messages: readonly (RequestContract | EventContract)[]): BusDescription[] {
  return messages.map(describeMessage).sort((a, b) => (a.subject < b.subject ? -1 : 1));
}

function describeMessage(message: RequestContract | EventContract): BusDescription {
  const { subject, kind } = message;
  const body = z.toJSONSchema(message.body);
  if (message.kind === "event") {
    return { subject, kind, owner: message.publishedBy, consumers: [...message.consumedBy].sort(), body };
  }
  const reply = z.toJSONSchema(message.reply);
  return { subject, kind, owner: message.answeredBy, askers: [...message.askedBy].sort(), body, reply };
}
