import { randomUUID } from "node:crypto";
import { expect, test, vi } from "vitest";
import { createDeliveryStore, type DeliveryEnding, type TakenDelivery } from "../src/webhooks/delivery-store.ts";
import { createDeliveryWorker } from "../src/webhooks/delivery-worker.ts";
import { quiet, useTestStore } from "./test-store.ts";

const backlog = 10_000;

const store = useTestStore();

/** Messages that became due so long ago. */
async function enqueue(projectId: string, host: string, count: number, secondsAgo: number): Promise<void> {
  await store.query(
    `insert into monitor.webhook_deliveries (project_id, id, url, host, event, body, due_at)
     select $1, gen_random_uuid(), 'https://' || $2, $2, 'signal.new', '{}', now() - $4 * interval '1 s'
     from generate_series(1, $3)`,
    [projectId, host, count, secondsAgo],
  );
}

/** Sends to hosts that answer at once, and to `dead`, which answers only on command. */
function createScriptedSend() {
  const inFlight = new Set<TakenDelivery>();
  const delivered: TakenDelivery[] = [];
  const most = { all: 0, perProject: 0, perHost: 0 };
  const releases: (() => void)[] = [];

  function note(): void {
    const greatest = (keyOf: (delivery: TakenDelivery) => string): number =>
      Math.max(0, ...[...Map.groupBy(inFlight, keyOf).values()].map((each) => each.length));
    most.all = Math.max(most.all, inFlight.size);
    most.perProject = Math.max(
      most.perProject,
      greatest(({ projectId }) => projectId),
    );
    most.perHost = Math.max(
      most.perHost,
      greatest(({ host }) => host),
    );
  }

  return {
    delivered,
    most,
    async send(delivery: TakenDelivery): Promise<DeliveryEnding> {
      inFlight.add(delivery);
      note();
      if (delivery.host === "dead") await new Promise<void>((resolve) => releases.push(resolve));
      inFlight.delete(delivery);
      if (delivery.host !== "dead") delivered.push(delivery);
      return { outcome: "delivered", lastStatus: 200, lastError: null };
    },
    release(): void {
      for (const resolve of releases.splice(0)) resolve();
    },
  };
}

test("a dead host with ten thousand messages delays no other host, in any project, and its concurrent calls are limited", async () => {
  const [first, second, third] = [randomUUID(), randomUUID(), randomUUID()];
  await enqueue(first, "dead", backlog, 100);
  await enqueue(second, "dead", 50, 90);
  for (const projectId of [first, second]) await enqueue(projectId, "alive", 20, 10);
  await enqueue(third, "other", 5, 10);
  const { delivered, most, send, release } = createScriptedSend();
  const worker = createDeliveryWorker({
    store: createDeliveryStore(store),
    send,
    logger: quiet,
    timings: { leaseMs: 600_000, pollMs: 50 },
  }).start();

  await vi.waitFor(() => expect(delivered).toHaveLength(45));
  // Messages that arrive while the dead host has the maximum in progress.
  await enqueue(first, "alive", 5, 0);
  await vi.waitFor(() => expect(delivered).toHaveLength(50));

  expect(most.perHost).toBeLessThanOrEqual(8);
  expect(most.perProject).toBeLessThanOrEqual(12);
  expect(most.all).toBeLessThanOrEqual(32);
  const [taken] = await store.query<{ held: number; tries: number }>(
    `select count(leased_by)::integer as held, sum(attempts)::integer as tries
     from monitor.webhook_deliveries
     where host = 'dead'`,
  );
  expect(taken).toEqual({ held: 8, tries: 8 });
  const stopped = worker.stop();
  release();
  await stopped;
});
