import { randomUUID } from "node:crypto";
import { gateRecorded, webhookDeliveryReply, webhookReply, webhookSecretReply } from "@touchstone/contracts";
import { createOutboundFetch, uuidv7 } from "@touchstone/service-kit";
import { describe, expect, test, vi } from "vitest";
import { createDeliveryStore, type TakenDelivery } from "../src/webhooks/delivery-store.ts";
import { createSendDelivery } from "../src/webhooks/send-delivery.ts";
import { createSigningKeys } from "../src/webhooks/sign-message.ts";
import { type ProjectClient, rootSecret } from "./start-monitor.ts";
import { channelSecret, useWebhookBench } from "./webhook-bench.ts";
import { findSignature } from "./webhook-receiver.ts";

const bench = useWebhookBench();

const getWebhook = async (project: ProjectClient, id: string) =>
  webhookReply.parse((await project.send("GET", `/agent-monitoring/webhooks/${id}`)).body).webhook;

describe("a failure", () => {
  test("is sent to every webhook that subscribes to it, signed with its own secret, once a minute", async () => {
    const project = bench.newProject();
    const agentId = bench.ingest.addAgent(project.projectId, "shop");
    const [all, severe, others, reopened, off] = [1, 2, 3, 4, 5].map(() => bench.receiver.open(204));
    const { id, secret } = await bench.createWebhook(project, { url: all?.url });
    await bench.createWebhook(project, { url: severe?.url, minSeverity: "critical" });
    await bench.createWebhook(project, { url: others?.url, agentIds: [randomUUID()] });
    await bench.createWebhook(project, { url: reopened?.url, events: ["signal.reopened"] });
    await bench.createWebhook(project, { url: off?.url, enabled: false });
    const channel = bench.receiver.open(200);
    await project.send("PUT", "/monitor/profiles/shop", { channels: [`webhook:${channel.url}`, "mail:a@b.c"] });

    await expect(
      bench.fail(project, { agentId }, () => {
        throw new Error("the check's lease is gone");
      }),
    ).rejects.toThrow("lease");
    const traceId = await bench.fail(project, { agentId });
    await bench.fail(project, { agentId });
    await bench.untilSettled(project, 2);

    expect([severe, others, reopened, off].map((each) => each?.received.length)).toEqual([0, 0, 0, 0]);
    expect([all?.received.length, channel.received.length]).toEqual([1, 1]);
    const [message] = all?.received ?? [];
    const [told] = channel.received;
    if (message === undefined || told === undefined) throw new Error("nothing came");
    expect(await findSignature(message, secret)).toBe(0);
    expect(await findSignature(told, channelSecret)).toBe(0);
    expect(await findSignature({ ...message, text: `${message.text} ` }, secret)).toBe(-1);
    const { signals } = (await project.send("GET", "/monitor/signals")).body;
    expect(JSON.parse(message.text)).toEqual({
      id: message.headers["webhook-id"],
      event: "signal.new",
      text: "[Monitor] HIGH: Refunds matches",
      severity: "high",
      patternKey: "custom:refunds",
      agentId,
      rootCause: "It says so.",
      summary: "Refunds matches",
      traceId,
      sessionId: null,
      signalId: signals[0]._id,
      createdAt: expect.any(String),
      baseUrl: "https://touchstone.example.com",
      link: `https://touchstone.example.com/p/${project.projectId}/inbox?open=${signals[0]._id}`,
      apiLink: `https://touchstone.example.com/api/v1/monitor/signals/${signals[0]._id}`,
    });

    // A minute later, and archived: it comes again.
    await project.send("PATCH", `/monitor/signals/${signals[0]._id}`, { status: "archived" });
    await bench.store.query("update monitor.signals set announced_at = now() - interval '61 s' where project_id = $1", [
      project.projectId,
    ]);
    await bench.fail(project, { agentId });
    const deliveries = await bench.untilSettled(project, 5);
    expect(reopened?.received).toHaveLength(1);
    expect(deliveries.map(({ event }) => event).toSorted()).toEqual([
      "signal.new",
      "signal.new",
      "signal.reopened",
      "signal.reopened",
      "signal.reopened",
    ]);

    const of = await bench.listDeliveries(project, `?webhookId=${id}&status=delivered&limit=1`);
    expect(of.deliveries).toMatchObject([{ webhookId: id, event: "signal.reopened", attempts: 1, lastStatus: 204 }]);
    const next = await bench.listDeliveries(project, `?webhookId=${id}&limit=1&cursor=${of.nextCursor}`);
    expect(next).toMatchObject({ deliveries: [{ event: "signal.new" }], nextCursor: null });
    expect((await bench.listDeliveries(bench.newProject())).deliveries).toEqual([]);
  });

  test("that becomes more severe raises its signal and reaches a webhook for severe ones, unless a person set the severity", async () => {
    const project = bench.newProject();
    const [severe, all] = [bench.receiver.open(204), bench.receiver.open(204)];
    await bench.createWebhook(project, { url: severe.url, minSeverity: "high" });
    for (const patternKey of ["custom:raised", "custom:lowered"])
      await bench.fail(project, { patternKey, severity: "medium" });
    const { signals } = (await project.send("GET", "/monitor/signals")).body;
    const { _id: lowered } = signals.find((signal: { patternKey: string }) => signal.patternKey === "custom:lowered");
    expect((await project.send("PATCH", `/monitor/signals/${lowered}`, { severity: "low" })).status).toBe(200);
    await bench.createWebhook(project, { url: all.url });

    for (const patternKey of ["custom:lowered", "custom:raised"])
      await bench.fail(project, { patternKey, severity: "high" });
    await bench.untilSettled(project, 3);

    const read = (await project.send("GET", "/monitor/signals")).body.signals as {
      patternKey: string;
      severity: string;
    }[];
    expect(Object.fromEntries(read.map(({ patternKey, severity }) => [patternKey, severity]))).toEqual({
      "custom:raised": "high",
      "custom:lowered": "low",
    });
    const heard = (received: { text: string }[]) => received.map(({ text }) => JSON.parse(text).severity).toSorted();
    expect([heard(severe.received), heard(all.received)]).toEqual([["high"], ["high", "low"]]);
  });

  test("is sent again under the same id until the receiver accepts it", async () => {
    const project = bench.newProject();
    const { url, received } = bench.receiver.open(500, 302, 200);
    const { id, secret } = await bench.createWebhook(project, { url });
    // The second pause would be 5 s.
    const hurry = setInterval(() => {
      void bench.store.query(
        "update monitor.webhook_deliveries set due_at = now() where project_id = $1 and leased_by is null",
        [project.projectId],
      );
    }, 200);
    await bench.fail(project);
    const [delivery] = await bench.untilSettled(project, 1).finally(() => clearInterval(hurry));

    expect(delivery).toMatchObject({ status: "delivered", attempts: 3, lastStatus: 200, lastError: null });
    expect(received.map(({ headers }) => headers["webhook-id"])).toEqual(Array(3).fill(delivery?._id));
    expect(await Promise.all(received.map((each) => findSignature(each, secret)))).toEqual([0, 0, 0]);

    const replayed = await project.send("POST", `/agent-monitoring/webhook-deliveries/${delivery?._id}/replay`);
    expect(webhookDeliveryReply.parse(replayed.body).delivery).toMatchObject({ status: "pending", attempts: 0 });
    await vi.waitFor(() => expect(received).toHaveLength(4));
    await bench.untilSettled(project, 1);
    expect(received[3]?.headers["webhook-id"]).toBe(delivery?._id);

    await project.send("PUT", `/agent-monitoring/webhooks/${id}`, { enabled: false });
    expect(await project.send("POST", `/agent-monitoring/webhook-deliveries/${delivery?._id}/replay`)).toEqual({
      status: 409,
      body: { error: "The webhook of the delivery is disabled or was deleted" },
    });
  });

  test("whose worker died is sent by another when the lease ends, and the dead one writes nothing", async () => {
    const project = bench.newProject();
    const { url, received } = bench.receiver.open("hangs", 200);
    await bench.createWebhook(project, { url });
    await bench.fail(project);
    await vi.waitFor(() => expect(received).toHaveLength(1));
    // As after a kill -9 in the middle of the request.
    const [row] = await bench.store.query<{ id: string; token: string }>(
      `update monitor.webhook_deliveries
       set due_at = now()
       where project_id = $1
       returning id, leased_by as token`,
      [project.projectId],
    );
    await vi.waitFor(() => expect(received).toHaveLength(2));
    const [delivery] = await bench.untilSettled(project, 1);

    expect(delivery).toMatchObject({ _id: row?.id, status: "delivered", attempts: 2 });
    expect(received.map(({ headers }) => headers["webhook-id"])).toEqual([row?.id, row?.id]);
    const dead = { ...row, projectId: project.projectId, webhookId: null } as unknown as TakenDelivery;
    const ending = { outcome: "failed", lastStatus: null, lastError: "late" } as const;
    expect(await createDeliveryStore(bench.store).settle(dead, ending)).toBe(false);
  });

  test("is no longer sent to a receiver that answers 410", async () => {
    const project = bench.newProject();
    const { url, received } = bench.receiver.open(410);
    const { id } = await bench.createWebhook(project, { url });
    await bench.fail(project);
    await bench.untilSettled(project, 1);

    expect(await getWebhook(project, id)).toMatchObject({
      enabled: false,
      disabledReason: "The receiver answered 410: it wants nothing any more.",
    });
    await bench.fail(project, { patternKey: "custom:other" });
    expect((await bench.listDeliveries(project)).deliveries).toMatchObject([{ status: "failed", lastStatus: 410 }]);
    expect(received).toHaveLength(1);
    const enabled = await project.send("PUT", `/agent-monitoring/webhooks/${id}`, { enabled: true });
    expect(enabled.body.webhook).toMatchObject({ enabled: true, disabledReason: null, url });
  });

  test("goes to the webhook's new address when the old one answers 410 after the change", async () => {
    const project = bench.newProject();
    const held = Promise.withResolvers<number>();
    const [old, moved] = [bench.receiver.open(held.promise), bench.receiver.open(204)];
    const { id } = await bench.createWebhook(project, { url: old.url });
    await bench.fail(project);
    await vi.waitFor(() => expect(old.received).toHaveLength(1));
    await project.send("PUT", `/agent-monitoring/webhooks/${id}`, { url: moved.url });
    held.resolve(410);
    const [delivery] = await bench.untilSettled(project, 1);

    expect(delivery).toMatchObject({ status: "delivered", attempts: 2, lastStatus: 204 });
    expect([old.received.length, moved.received.length]).toEqual([1, 1]);
    expect(await getWebhook(project, id)).toMatchObject({ enabled: true, disabledReason: null, url: moved.url });
  });
});

const buildFailedGate = (projectId: string) => ({
  projectId,
  gateId: uuidv7(Date.now()),
  runId: randomUUID(),
  datasetId: randomUUID(),
  passed: false,
  failedChecks: ["6 is below 7."],
  recordedAt: new Date().toISOString(),
});

test("a failed gate is sent once to each subscriber, however often its event arrives", async () => {
  const project = bench.newProject();
  const { url, received } = bench.receiver.open(200);
  await bench.createWebhook(project, { url, events: ["gate.failed"] });
  await bench.createWebhook(project, { url, events: ["signal.new"] });
  const { projectId } = project;
  const failed = buildFailedGate(projectId);
  const passed = { ...failed, gateId: uuidv7(Date.now()), passed: true, failedChecks: [] };
  for (const event of [passed, failed, failed]) {
    await bench.evalRuns.publish(gateRecorded, event, { messageId: randomUUID() });
  }
  await bench.untilSettled(project, 1);
  // Handled after the repetition, so that what that wrote would be there.
  await bench.evalRuns.publish(gateRecorded, { ...failed, gateId: uuidv7(Date.now()) }, { messageId: randomUUID() });
  await bench.untilSettled(project, 2);

  expect(received.map(({ text }) => JSON.parse(text))[0]).toMatchObject({
    event: "gate.failed",
    text: `[Monitor] HIGH: A gate failed: run ${failed.runId}`,
    link: `https://touchstone.example.com/p/${projectId}/runs/${failed.runId}`,
    patternKey: `gate:${failed.datasetId}`,
    rootCause: "6 is below 7.",
    signalId: null,
  });
  expect(received).toHaveLength(2);
});

test("a failed gate of a deleted project is handled at its first try, and sent to no webhook", async () => {
  const project = bench.newProject();
  const { url, received } = bench.receiver.open(200);
  await bench.createWebhook(project, { url, events: ["gate.failed"] });
  const { projectId } = project;
  await bench.store.query("insert into monitor.deleted_projects (project_id, next_pass_at) values ($1, null)", [
    projectId,
  ]);
  const messageId = randomUUID();
  await bench.evalRuns.publish(gateRecorded, buildFailedGate(projectId), { messageId });

  expect(await bench.untilTried(messageId)).toMatchObject({
    ...{ durable: "monitor-gate-recorded", attempt: 1, outcome: "handled" },
  });
  const deliveries = "select id from monitor.webhook_deliveries where project_id = $1";
  expect(await bench.store.query(deliveries, [projectId])).toEqual([]);
  expect(received).toEqual([]);
});

describe("a webhook", () => {
  test("is tested once, also with a redirect, which is not followed; a rotated secret signs beside the old one", async () => {
    const project = bench.newProject();
    const { url, received } = bench.receiver.open(302, 200);
    const { id, secret } = await bench.createWebhook(project, { url, enabled: false });
    const at = `/agent-monitoring/webhooks/${id}`;

    const failed = await project.send("POST", `${at}/test`);
    expect(webhookDeliveryReply.parse(failed.body).delivery).toMatchObject({
      event: "webhook.test",
      status: "failed",
      attempts: 1,
      lastStatus: 302,
      lastError: "The receiver answered 302; redirects are not followed.",
    });
    const rotated = webhookSecretReply.parse((await project.send("POST", `${at}/rotate-secret`)).body);
    expect(rotated.secret).not.toBe(secret);
    const done = await project.send("POST", `${at}/test`);
    expect(done.body.delivery).toMatchObject({ status: "delivered", lastStatus: 200 });
    expect(received).toHaveLength(2);
    const [, message] = received;
    if (message === undefined) throw new Error("nothing came");
    expect(await findSignature(message, rotated.secret)).toBe(0);
    expect(await findSignature(message, secret)).toBe(1);

    const shown = JSON.stringify([
      await project.send("GET", "/agent-monitoring/webhooks"),
      await getWebhook(project, id),
    ]);
    expect(shown).toContain(url);
    expect(shown).not.toContain("whsec_");
    expect((await bench.newProject().send("DELETE", at)).status).toBe(404);
    expect((await project.send("DELETE", at)).status).toBe(204);
    expect(await project.send("POST", `${at}/test`)).toEqual({ status: 404, body: { error: "Webhook not found" } });
    expect((await bench.listDeliveries(project)).deliveries).toHaveLength(2);
  });

  test("is refused with the reason", async () => {
    const project = bench.newProject();
    const url = "https://hooks.example.com/a";
    for (const [body, error] of [
      [{}, "url is required"],
      [{ url: "ftp://a" }, "url: The URL cannot be called: must begin with http:// or https://."],
      [
        { url, events: ["all"] },
        "events must be an array of: signal.new, signal.reopened, signal.repeated, gate.failed",
      ],
      [{ url, minSeverity: "x" }, "minSeverity must be one of: low, medium, high, critical"],
      [{ url, agentIds: ["shop"] }, "agentIds must be an array of at most 100 agent ids"],
      [{ url: " ", events: 1 }, "url is required"],
      [{ url: 7 }, "url is required"],
      [{ url: "ftp://a", description: "a\0b", enabled: 1 }, "enabled must be a boolean"],
      [{ url: "ftp://a", description: "a\0b" }, "description must be a string of at most 500 characters"],
    ] as const) {
      const refused = { status: 400, body: { error } };
      expect(await project.send("POST", "/agent-monitoring/webhooks", body)).toEqual(refused);
    }
    const { webhook } = (await project.send("POST", "/agent-monitoring/webhooks", { url })).body;
    for (const [body, error] of [
      [{ url: 7 }, "url must be a string"],
      [{ url: "" }, expect.stringMatching(/^url: /)],
      [{ url: null, events: [] }, "url must be a string"],
      [{ events: [] }, "events must be an array of: signal.new, signal.reopened, signal.repeated, gate.failed"],
    ] as const) {
      const refused = { status: 400, body: { error } };
      expect(await project.send("PUT", `/agent-monitoring/webhooks/${webhook._id}`, body)).toEqual(refused);
    }
    for (const [query, error] of [
      ["status=lost", "status must be one of: pending, delivered, failed"],
      ["cursor=first", "cursor must be the id of a delivery"],
      ["limit=0", "limit must be a positive integer"],
    ]) {
      const refused = { status: 400, body: { error } };
      expect(await project.send("GET", `/agent-monitoring/webhook-deliveries?${query}`)).toEqual(refused);
    }
    for (const id of ["none", randomUUID()]) {
      const missing = { status: 404, body: { error: "Webhook delivery not found" } };
      expect(await project.send("POST", `/agent-monitoring/webhook-deliveries/${id}/replay`)).toEqual(missing);
    }
  });

  test("never leads into the network where that is refused, and a receiver that is silent is tried again", async () => {
    const { url, received } = bench.receiver.open("hangs");
    const keys = createSigningKeys({ rootSecret, channelSecret: null });
    const delivery = {
      ...{ projectId: randomUUID(), id: randomUUID(), webhookId: null, url, host: new URL(url).host },
      ...{ event: "signal.new", body: "{}", attempt: 1, token: randomUUID(), salts: null },
    };
    const endings = [];
    for (const allowsPrivateHosts of [false, true]) {
      const reach = { allowsPrivateHosts };
      const fetch = createOutboundFetch({ ...reach, totalMs: 300 });
      endings.push(await createSendDelivery({ fetch, reach, keys })(delivery));
      await fetch.close();
      expect(received).toHaveLength(allowsPrivateHosts ? 1 : 0);
    }
    expect(endings).toMatchObject([
      { outcome: "failed", lastError: "The host of the URL has no address that may be called." },
      { outcome: "retry", lastError: "The server did not answer in time.", delayMs: expect.any(Number) },
    ]);
    expect(received[0]?.headers).not.toHaveProperty("webhook-signature");
  });
});
