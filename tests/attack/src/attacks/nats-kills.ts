import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { listProcessTree } from "../../../chaos/src/process-tree.ts";
import type { Attack } from "../attack.ts";
import { untilOver } from "../attacker/at-once.ts";

const killsMax = 9;
const lookEveryMs = 100;
/** A server that was killed too often ends within this time. */
const aftermathMs = 3_000;

/** No tenant can do this directly, but a tenant's requests may cause it: the built-in nats-server dies repeatedly. */
export const natsKills: Attack = {
  name: "nats-kills",
  does: "The built-in nats-server is killed nine times, each time as soon as it is back, while traces are stored and judged.",
  setting: "projects",
  // Ends earlier if the server is back soon.
  secondsMin: 45,
  async prepare({ pid, openTenant, clientOf, tally, over }) {
    const client = clientOf(await openTenant("NATS kills"));
    return async () => {
      const killed = new AbortController();
      const until = AbortSignal.any([over, killed.signal]);
      const writing = untilOver({ atOnce: 1, pauseMs: 100, over: until }, (number) =>
        client.post("/ingest/traces", { name: `beside kills ${number}`, output: "fine" }),
      );
      let kills = 0;
      while (kills < killsMax && !over.aborted) {
        // Each time it is running again.
        const servers = await findNats(pid);
        for (const server of servers) process.kill(server, "SIGKILL");
        for (const _killed of servers) tally.count("killed");
        kills += servers.length;
        await sleep(lookEveryMs, undefined, { signal: over }).catch(() => undefined);
      }
      await sleep(aftermathMs, undefined, { signal: over }).catch(() => undefined);
      killed.abort();
      await writing;
      if ((await listProcessTree(pid)).length === 0) tally.complain("The installation stopped itself.");
    };
  },
};

async function findNats(root: number): Promise<number[]> {
  const tree = await listProcessTree(root);
  const names = await Promise.all(tree.map((pid) => readFile(`/proc/${pid}/comm`, "utf8").catch(() => "")));
  return tree.filter((_pid, at) => names[at]?.startsWith("nats-server"));
}
