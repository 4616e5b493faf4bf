import type { Attack } from "../attack.ts";
import { forEachOf, untilOver } from "../attacker/at-once.ts";

/** Many small projects that are busy at the same time: each sends little, all together send a lot. */
export const manyProjects: Attack = {
  name: "many-projects",
  does: "Sixty small projects that send, search and read as fast as they are answered, each with one connection.",
  setting: "projects",
  async prepare({ random, scaled, openTenant, clientOf, over }) {
    const clients = await forEachOf(scaled(60), 4, async (number) => clientOf(await openTenant(`small ${number}`)));
    const routes = [
      "/ingest/traces?limit=100",
      "/ingest/traces?search=small",
      "/agent-monitoring/performance?window=30d",
      "/agents",
      "/monitor/signals",
      "/agent-monitoring/topics",
      "/export/traces",
    ];
    return async () => {
      await Promise.all(
        clients.map((client, at) =>
          untilOver({ atOnce: 1, over }, (number) =>
            number % 2 === 0
              ? client.post("/ingest/traces", {
                  name: `small ${at} ${number}`,
                  input: "small",
                  output: "x".repeat(500),
                })
              : client.get(random.pick(routes)),
          ),
        ),
      );
    };
  },
};
