// A service that stops by itself or fails to begin, as its argument says. It prints what it did, between its log lines.
import { writeSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { keyRevoked } from "@touchstone/contracts";
import { readStoreServiceConfig, runProcess, type Service } from "@touchstone/service-kit";
import { createStoreService } from "../src/index.ts";

const ending = process.argv[2];

/** At once: lines of the log may be late. */
const say = (did: string) => writeSync(1, `${JSON.stringify({ did })}\n`);

await runProcess({
  name: "monitor",
  environment: process.env,
  read: (environment) => readStoreServiceConfig(environment, { database: "SERVICE_MONITOR_DB_URL" }),
  create(config, dependencies) {
    const service = createStoreService({
      name: "monitor",
      schema: { schema: "monitor", directory: path.join(import.meta.dirname, "migrations") },
      config,
      dependencies,
      open(kit) {
        const database = kit.openPool({ role: "app", connectionsMax: 2, statementTimeoutMs: 5_000 });
        const bus = kit.connectBus();
        const work = (name: string) => {
          say(`begin ${name}`);
          return { stop: async () => void say(`stop ${name}, database ${await database.check()}`) };
        };
        kit.background([
          () => work("relay"),
          () => {
            if (ending === "fail to begin") throw new Error("the sweep cannot begin");
            return work("sweep");
          },
          // Its contract has no such consumer.
          ...(ending === "fail to consume" ? [() => bus.consume(keyRevoked, { durable: "none" }, async () => {})] : []),
        ]);
        kit.defer(() => void say("stop scorer"));
        const server = kit.serve({
          routes: [],
          readiness: {
            needed: { schema: kit.migration.state, database: database.check },
            shown: { bus: bus.status },
          },
        });
        kit.defer(() => void say("stop before the server"));
        return server;
      },
    });
    return { ...service, start: () => startAndEnd(service) };
  },
});

async function startAndEnd(service: Service) {
  const started = await service.start();
  void end(started.address ?? "");
  return started;
}

/** Ends the process the way an operator does. */
async function end(address: string): Promise<void> {
  const readStatus = async () => (await fetch(`${address}/health/ready`)).status;
  if (ending === "stop when started") say(`not ready: ${await readStatus()}`);
  if (ending === "stop when ready") {
    while ((await readStatus()) !== 200) await sleep(20);
    say("ready: 200");
  }
  if (ending?.startsWith("stop")) process.kill(process.pid, "SIGTERM");
}
