import { jetstream } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type BusWorld, eventually, rejection, startBusWorld } from "./bus-world.ts";
import { secretTold, thingTold, weighText } from "./test-messages.ts";

/**
 * What a service may not do, tried with its credentials and a bare client. The other contract tests show that it may do
 * all it needs: they run under the same permissions.
 */
let world: BusWorld;

beforeAll(async () => {
  world = await startBusWorld();
});
afterAll(() => world?.close());

const consumerApi = "$JS.API.CONSUMER";
const refused = /Permissions Violation/;

/** The refusal of a subscription; undefined if it was granted. */
async function refusedSubscription(client: NatsConnection, subject: string): Promise<string | undefined> {
  const subscription = client.subscribe(subject, { callback: () => {} });
  await client.flush();
  const closed = await Promise.race([subscription.closed, client.flush()]);
  return closed instanceof Error ? closed.message : undefined;
}

/** Publishing is refused by a message of the server, which arrives before the answer to a flush. */
async function refusedPublish(client: NatsConnection, subject: string): Promise<string | undefined> {
  return ((await rejection(client.request(subject, "{}", { timeout: 1_000 }))) as Error | null)?.message;
}

describe("a service may not", () => {
  test("publish an event of another", async () => {
    const client = await world.bareClient("monitor");
    expect(await refusedPublish(client, thingTold.subject)).toMatch(refused);
    expect(await refusedPublish(client, secretTold.subject)).toMatch(refused);
  });

  test("ask or answer a request of another service", async () => {
    const client = await world.bareClient("monitor");
    expect(await refusedPublish(client, weighText.subject)).toMatch(refused);
    expect(await refusedSubscription(client, weighText.subject)).toMatch(refused);
  });

  test("read messages to another service, or everything", async () => {
    const client = await world.bareClient("judge");
    for (const subject of ["_INBOX.eval-runs.>", "_INBOX.>", ">", "event.>", "svc.>", "dead.>"]) {
      expect(await refusedSubscription(client, subject), subject).toMatch(refused);
    }
    expect(await refusedSubscription(client, "_INBOX.judge.>")).toBeUndefined();
  });

  test("answer in the inbox of a service that does not ask it", async () => {
    const client = await world.bareClient("judge");
    expect(await refusedPublish(client, "_INBOX.monitor.reply.x.y.1")).toMatch(refused);
    // Acknowledgements of the event store arrive on other subjects of the inbox than replies.
    expect(await refusedPublish(client, "_INBOX.eval-runs.abc.def")).toMatch(refused);
  });

  test("read an event it does not consume through the event store", async () => {
    const auth = await world.open("auth");
    await auth.publish(secretTold, { number: 1 }, { messageId: "secret" });
    const client = await world.bareClient("monitor");
    const stolen = `TOUCHSTONE_EVENTS.thief.${secretTold.subject}`;
    const own = "TOUCHSTONE_EVENTS.monitor-first_event-thing-told-v1";
    for (const subject of [
      `${consumerApi}.CREATE.${stolen}`,
      `${consumerApi}.CREATE.${own}.${secretTold.subject}`,
      `${consumerApi}.CREATE.${own}`,
      `${consumerApi}.DURABLE.CREATE.${own}`,
      `${consumerApi}.MSG.NEXT.TOUCHSTONE_EVENTS.gateway_event-secret-told-v1`,
      "$JS.API.STREAM.MSG.GET.TOUCHSTONE_EVENTS",
      "$JS.API.STREAM.DELETE.TOUCHSTONE_EVENTS",
      "$JS.API.STREAM.PURGE.TOUCHSTONE_EVENTS",
      "$JS.API.STREAM.UPDATE.TOUCHSTONE_EVENTS",
    ]) {
      expect(await refusedPublish(client, subject), subject).toMatch(refused);
    }
    // The filter in the call's subject counts, not the one in its body.
    const config = { durable_name: "monitor-first_event-thing-told-v1", filter_subject: secretTold.subject };
    const body = JSON.stringify({ stream_name: "TOUCHSTONE_EVENTS", config: { ...config, ack_policy: "explicit" } });
    const answer = await client.request(`${consumerApi}.CREATE.${own}.${thingTold.subject}`, body);
    expect(answer.json()).toMatchObject({ error: { description: expect.stringContaining("did not match") } });
  });

  test("write into the dead letters or the replays of another", async () => {
    const client = await world.bareClient("gateway");
    expect(await refusedPublish(client, `dead.monitor-first.${thingTold.subject}`)).toMatch(refused);
    expect(await refusedPublish(client, `replay.monitor-first.${thingTold.subject}`)).toMatch(refused);
  });

  test("do anything at all when no contract names it", async () => {
    const client = await world.bareClient("ingest");
    await expect(jetstream(client).publish(thingTold.subject, '{"number":1}')).resolves.toBeDefined();
    for (const subject of ["anything", "$JS.API.INFO", "$SYS.REQ.SERVER.PING"]) {
      expect(await refusedPublish(client, subject), subject).toMatch(refused);
    }
  });
});

describe("a refusal", () => {
  test("is logged by the bus", async () => {
    // The contract names the subject for this service, but the user of the server does not have it.
    const stranger = { ...thingTold, subject: "event.stranger.told.v1" };
    const bus = await world.open("ingest");
    const error = await rejection(bus.publish(stranger, { number: 1 }, { messageId: "x" }));
    expect(error).toMatchObject({ name: "BusError", kind: "failed" });
    await eventually(() =>
      expect(world.logs.some(({ text }) => text === "NATS refused an operation of the bus")).toBe(true),
    );
  });
});
