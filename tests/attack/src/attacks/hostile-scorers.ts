import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Attack } from "../attack.ts";
import { untilOver } from "../attacker/at-once.ts";
import { hostileScripts } from "./hostile-settings.ts";

/** Custom scorers: scripts that never end or exhaust memory, and addresses without a listener. */
export const hostileScorers: Attack = {
  name: "hostile-scorers",
  does: "Code scorers that loop, recurse, allocate and answer 500 MB, external scorers that never answer, live and as dry runs.",
  setting: "projects",
  async prepare({ random, openTenant, clientOf, over }) {
    const client = clientOf(await openTenant("hostile scorers"));
    const silent = createServer(() => {}).listen(0, "127.0.0.1");
    await new Promise((resolve) => silent.once("listening", resolve));
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
    const live = { sampleRate: 1, enabled: true };
    for (const [at, script] of hostileScripts.entries()) {
      await client.post("/agent-monitoring/custom-evaluators", { name: `code ${at}`, kind: "code", script, ...live });
    }
    for (let at = 0; at < 10; at += 1) {
      await client.post("/agent-monitoring/custom-evaluators", {
        name: `external ${at}`,
        kind: "external",
        url,
        ...live,
      });
    }
    const turns = [
      () => client.post("/ingest/traces", { name: "scored", input: "a", output: "b".repeat(50_000) }),
      () =>
        client.post("/agent-monitoring/custom-evaluators/dry-run", {
          name: "tried",
          kind: "code",
          script: random.pick(hostileScripts),
        }),
      () => client.post("/agent-monitoring/custom-evaluators/dry-run", { name: "tried", kind: "external", url }),
    ];
    return () => untilOver({ atOnce: 8, pauseMs: 50, over }, () => random.pick(turns)());
  },
};
