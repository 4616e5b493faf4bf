import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import type { ApiClient } from "./client.ts";
import type { CombinedSystem } from "./start-combined.ts";
import { waitUntil } from "./wait-until.ts";

/** A queue of ingest that takes nothing more. */
export interface FullQueue extends AsyncDisposable {
  /** Lets ingest store again, and waits until it has stored what filled the queue. */
  release(): Promise<void>;
}

/** Keeps ingest from storing spans, and fills its queue with traces named `filler`. Each takes a moment, so the queue should be small. */
export async function fillQueue(system: CombinedSystem, client: ApiClient): Promise<FullQueue> {
  await using cleanups = new AsyncDisposableStack();
  const database = new Client({ connectionString: system.database.adminUrl });
  await database.connect();
  cleanups.defer(() => database.end());
  await database.query("begin; lock table ingest.spans in access exclusive mode");
  const filling: Promise<unknown>[] = [];
  await waitUntil("the queue is full", async () => {
    const sent = client.send("POST", "/ingest/traces", { name: "filler" });
    filling.push(sent);
    const first = await Promise.race([sent, sleep(200, null)]);
    return first?.status === 429;
  });
  const held = cleanups.move();
  return {
    async release() {
      await held.disposeAsync();
      await Promise.all(filling);
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

/** The statuses that the gateway has answered to an operation so far. */
export function answersTo(system: CombinedSystem, operation: string): number[] {
  const said = ['"service":"gateway"', `"operation":"${operation}"`, '"request answered"'];
  const lines = system.log().split("\n");
  return lines
    .filter((line) => said.every((text) => line.includes(text)))
    .map((line) => (JSON.parse(line) as { status: number }).status);
}
