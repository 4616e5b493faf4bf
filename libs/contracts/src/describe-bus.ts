import { z } from "zod";
import type { EventContract, RequestContract } from "./bus/define.ts";

/** One message as the golden file of the bus shows it: who speaks to whom, and the JSON Schema of what is said. */
export type BusDescription = {
  subject: string;
  kind: "request" | "event";
  /** Who answers the request, or publishes the event. */
  owner: string;
  /** Who asks it. Only on requests. */
  askers?: string[];
  /** Who consumes it. Only on events. */
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
