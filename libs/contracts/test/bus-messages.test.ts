import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { busMessages, defineEvent, defineRequest, describeBus } from "../src/index.ts";

const fixtures = path.join(import.meta.dirname, "..", "fixtures", "bus");

describe("every message of the bus", () => {
  test.for(busMessages)("$subject accepts its earlier bodies", (message) => {
    const { body, reply } = JSON.parse(readFileSync(path.join(fixtures, `${message.subject}.json`), "utf8"));
    // Newer members have defaults, so that replicas of two versions understand each other.
    expect(message.body.parse(body)).toMatchObject(body);
    if (message.kind === "request") expect(message.reply.parse(reply)).toMatchObject(reply);
  });

  test("has a frozen example, and every example has a message", () => {
    const examples = readdirSync(fixtures).map((file) => path.basename(file, ".json"));
    expect(examples.sort()).toEqual(busMessages.map(({ subject }) => subject).sort());
  });

  test.for(busMessages)("$subject is named for its owner or its event, with a version", (message) => {
    const name = "[a-z]+(-[a-z]+)*";
    const expected = message.kind === "request" ? `svc\\.${message.answeredBy}\\.${name}` : `event\\.${name}\\.${name}`;
    expect(message.subject).toMatch(new RegExp(`^${expected}\\.v[1-9]\\d*$`));
  });

  test("gives durable consumers only to services that consume it", () => {
    for (const message of busMessages) {
      if (message.kind === "request") continue;
      for (const durable of message.durables ?? []) {
        expect(message.consumedBy.some((service) => durable.startsWith(`${service}-`))).toBe(true);
      }
    }
  });
});

describe("the description of the bus", () => {
  const ask = defineRequest({
    subject: "svc.judge.ask.v1",
    askedBy: ["monitor", "eval-runs"],
    answeredBy: "judge",
    body: z.object({ text: z.string() }),
    reply: z.object({ rating: z.number().nullable() }),
  });
  const told = defineEvent({
    subject: "event.thing.told.v1",
    publishedBy: "auth",
    consumedBy: ["gateway"],
    body: z.object({ id: z.uuid() }),
  });

  test("shows the sender, the receivers and the JSON Schema of each message, in the order of the subjects", () => {
    const [event, request] = describeBus([ask, told]);
    expect(event).toMatchObject({
      subject: "event.thing.told.v1",
      kind: "event",
      owner: "auth",
      consumers: ["gateway"],
      body: { type: "object", required: ["id"], properties: { id: { type: "string", format: "uuid" } } },
    });
    expect(request).toMatchObject({
      subject: "svc.judge.ask.v1",
      kind: "request",
      owner: "judge",
      askers: ["eval-runs", "monitor"],
      body: { properties: { text: { type: "string" } } },
      reply: { properties: { rating: { type: ["number", "null"] } } },
    });
  });

  test("is JSON, for all messages", () => {
    const description = describeBus(busMessages);
    expect(JSON.parse(JSON.stringify(description))).toEqual(description);
    expect(description).toHaveLength(busMessages.length);
  });

  test("refuses a schema that does not describe JSON", () => {
    const body = z.object({ at: z.string().transform((text) => new Date(text)) });
    expect(() => describeBus([{ ...told, body }])).toThrow();
  });
});
