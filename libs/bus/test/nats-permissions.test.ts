import { serviceNames } from "@touchstone/contracts";
import { describe, expect, test } from "vitest";
import { natsPermissions } from "../src/index.ts";
import { worldMessages } from "./test-messages.ts";

describe("the permissions of a service on the bus", () => {
  test("of a requester: its request, the control inbox of the answering service, its own inbox", () => {
    expect(natsPermissions("eval-runs", worldMessages)).toEqual({
      publish: ["_INBOX.judge.control.>", "svc.judge.weigh-text.v1"],
      subscribe: ["_INBOX.eval-runs.>"],
    });
  });

  test("of an answering service: its request, the reply inbox of the requester, its own inbox", () => {
    expect(natsPermissions("judge", worldMessages)).toEqual({
      publish: ["_INBOX.eval-runs.reply.>"],
      subscribe: ["_INBOX.judge.>", "svc.judge.weigh-text.v1"],
    });
  });

  test("of a publisher: its event, the creation of the stream, and the progress of its consumers", () => {
    expect(natsPermissions("ingest", worldMessages)).toEqual({
      publish: [
        "$JS.API.CONSUMER.INFO.TOUCHSTONE_EVENTS.gateway_event-thing-told-v1",
        "$JS.API.CONSUMER.INFO.TOUCHSTONE_EVENTS.monitor-first_event-thing-told-v1",
        "$JS.API.CONSUMER.INFO.TOUCHSTONE_EVENTS.monitor-second_event-thing-told-v1",
        "$JS.API.STREAM.CREATE.TOUCHSTONE_EVENTS",
        "$JS.API.STREAM.INFO.TOUCHSTONE_EVENTS",
        "event.thing.told.v1",
      ],
      subscribe: ["_INBOX.ingest.>"],
    });
  });

  test("of a consumer: each durable consumer by name and filter, its dead letters and their replay", () => {
    const { publish, subscribe } = natsPermissions("monitor", worldMessages);
    expect(subscribe).toEqual(["_INBOX.monitor.>", "event.thing.told.v1"]);
    const first = publish.filter((subject) => subject.includes("monitor-first"));
    const event = "event.thing.told.v1";
    const name = "monitor-first_event-thing-told-v1";
    expect(first).toEqual(
      [
        ...consumerSubjects(`TOUCHSTONE_EVENTS.${name}`, event),
        ...consumerSubjects(`TOUCHSTONE_EVENTS.${name}_replay`, `replay.monitor-first.${event}`),
        ...consumerSubjects(`TOUCHSTONE_DEAD_LETTERS.${name}`, `dead.monitor-first.${event}`),
        `dead.monitor-first.${event}`,
        `replay.monitor-first.${event}`,
      ].sort(),
    );
    expect(publish.filter((subject) => !/monitor-(first|second)/.test(subject))).toEqual([
      "$JS.API.STREAM.CREATE.TOUCHSTONE_DEAD_LETTERS",
      "$JS.API.STREAM.CREATE.TOUCHSTONE_EVENTS",
    ]);
  });

  test("of a service that no contract names: its own inbox", () => {
    expect(natsPermissions("judge", [])).toEqual({ publish: [], subscribe: ["_INBOX.judge.>"] });
  });

  test("never extend beyond the named subjects: a wildcard is only at the end of an inbox or an acknowledgement", () => {
    for (const service of serviceNames) {
      const { publish, subscribe } = natsPermissions(service);
      for (const subject of [...publish, ...subscribe]) {
        if (/[*>]/.test(subject))
          expect(subject).toMatch(/^(_INBOX\.[a-z-]+(\.reply|\.control)?|\$JS\.ACK\.[^*>]+)\.>$/);
      }
    }
  });
});

function consumerSubjects(consumer: string, filter: string): string[] {
  return [
    `$JS.ACK.${consumer}.>`,
    `$JS.API.CONSUMER.CREATE.${consumer}.${filter}`,
    `$JS.API.CONSUMER.INFO.${consumer}`,
    `$JS.API.CONSUMER.MSG.NEXT.${consumer}`,
  ];
}
