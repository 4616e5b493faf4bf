import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { traceList } from "@touchstone/contracts";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type BalancedClient, createBalancedClient } from "../src/balanced-client.ts";
import { type ReplicatedSystem, startReplicas } from "../src/start-replicas.ts";
import { waitUntil } from "../src/wait-until.ts";

/** Restarts of processes, in turn: an ingest, a gateway, an ingest. TOUCHSTONE_RESTARTS=10 for a longer test. */
const restarts = Number(process.env.TOUCHSTONE_RESTARTS ?? 3);
const writers = 8;

let system: ReplicatedSystem;
let client: BalancedClient;

beforeAll(async () => {
  system = await startReplicas({ ingests: 2 });
  client = createBalancedClient(system.gateways);
});

afterAll(async () => {
  await client?.close();
  await system?.stop();
});

/** Submits one trace; returns the error, or null. */
async function submit(name: string): Promise<string | null> {
  try {
    const answer = await client.send("/api/v1/ingest/traces", {
      method: "POST",
      headers: { "x-api-key": system.apiKey, "content-type": "application/json" },
      body: JSON.stringify({ name, span_id: randomUUID(), input: { text: "x".repeat(500) } }),
    });
    const text = await answer.text();
    return answer.status === 201 ? null : `${answer.status} ${text}`;
  } catch (error) {
    return `${error} ${error instanceof Error ? error.cause : ""}`;
  }
}

/** Writes from several clients until stopped; each client pauses now and then, so that connections become idle. */
function startLoad(name: string): { stop(): Promise<{ stored: number; failures: string[] }> } {
  let isOver = false;
  let stored = 0;
  const failures: string[] = [];
  const sides = Array.from({ length: writers }, async (_side, index) => {
    for (let sent = 0; !isOver; sent += 1) {
      const failure = await submit(name);
      if (failure === null) stored += 1;
      else failures.push(failure);
      await sleep((sent + index) % 5 === 0 ? 50 : 10);
    }
  });
  return {
    async stop() {
      isOver = true;
      await Promise.all(sides);
      return { stored, failures };
    },
  };
}

async function countStored(ingest: string): Promise<number> {
  const text = await (await fetch(`${ingest}/metrics`)).text();
  return Number(/^service_ingest_spans_stored_total (\d+)$/m.exec(text)?.[1] ?? 0);
}

async function countListed(): Promise<number> {
  const answer = await client.send("/api/v1/ingest/traces?limit=1", { headers: { "x-api-key": system.apiKey } });
  return traceList.parse(await answer.json()).totalCount;
}

test("a new replica gets its share within 10 s", async () => {
  const load = startLoad("before and after");
  await system.start("ingest", 2);
  const before = await Promise.all(system.ingests.map(countStored));

  await waitUntil("the third replica has a fair share of the later requests", async () => {
    const gained = (await Promise.all(system.ingests.map(countStored))).map((now, index) => now - (before[index] ?? 0));
    const total = gained.reduce((sum, one) => sum + one, 0);
    return total > 100 && (gained[2] ?? 0) > total / 6;
  });

  expect((await load.stop()).failures).toEqual([]);
});

test("rolling restarts under load fail no request, and lose nothing", {
  timeout: 300_000,
}, async () => {
  const before = await countListed();
  const load = startLoad("rolling");
  const codes: (number | null)[] = [];

  for (let restart = 0; restart < restarts; restart += 1) {
    const index = Math.floor(restart / 2);
    codes.push(
      restart % 2 === 0 ? await system.restart("ingest", index % 3) : await system.restart("gateway", index % 2),
    );
  }
  const { stored, failures } = await load.stop();

  expect(failures).toEqual([]);
  expect(codes).toEqual(codes.map(() => 0));
  expect(stored).toBeGreaterThan(100);
  expect(await countListed()).toBe(before + stored);
});

test("the metrics of a gateway show every replica, and which one is down", { tags: ["spec:metrics"] }, async () => {
  // A new replica reports event loop stalls after its first second.
  await vi.waitFor(async () => {
    const answer = await (await fetch(`${system.gateways[0]}/metrics`)).text();
    for (const ingest of system.ingests) {
      const replica = new URL(ingest).host;
      expect(answer).toContain(`service_up{service="ingest",replica="${replica}"} 1`);
      expect(answer).toContain(
        `service_event_loop_stall_seconds_bucket{replica="${replica}",le="60",service="ingest"}`,
      );
      expect(answer).toMatch(new RegExp(`^service_ingest_spans_total\\{replica="${replica}"\\} \\d+$`, "m"));
    }
  });
});
