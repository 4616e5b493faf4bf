import type { Attack, Scene } from "../attack.ts";
import { forEachOf, untilOver } from "../attacker/at-once.ts";
import type { Client } from "../attacker/client.ts";
import { join, pack, packRepeated } from "../payloads/gzip-pieces.ts";

const traceBytes = 9.8 * 1024 * 1024;

/** Stores this many traces of nearly the largest size; compressed, each is a few kilobytes. */
export async function storeLargeTraces(
  { scaled }: Pick<Scene, "scaled">,
  client: Client,
  count: number,
): Promise<void> {
  const filling = packRepeated(traceBytes, "All of it. ");
  await forEachOf(scaled(count), 2, async (number) => {
    const { zipped } = join(pack(`{"name":"large ${number}","session_id":"large","output":"`), filling, pack('"}'));
    await client.post("/ingest/traces", zipped, { "content-encoding": "gzip" });
  });
}

/** A list of a hundred traces of 9.8 MB each, read twelve times concurrently. */
export const largeTraces: Attack = {
  name: "large-traces",
  does: "GET /ingest/traces?limit=100 over traces of 9.8 MB, twelve at once, and sessions and exports of the same traces.",
  setting: "projects",
  async prepare(scene) {
    const { random, openTenant, clientOf, over } = scene;
    const client = clientOf(await openTenant("large traces"));
    await storeLargeTraces(scene, client, 100);
    const others = ["/ingest/sessions/large/spans", "/export/traces", "/ingest/traces?limit=100&search=large"];
    return () =>
      untilOver({ atOnce: 12, over }, () =>
        client.get(random.chance(0.8) ? "/ingest/traces?limit=100" : random.pick(others)),
      );
  },
};
