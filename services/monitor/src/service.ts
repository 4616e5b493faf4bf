import path from "node:path";
import { type Bus, type Consuming, connectBus } from "@touchstone/bus";
import { openDatabase, prepareSchema, rolesOf, type SchemaPreparation } from "@touchstone/db";
import { type Clock, createHttpServer, type Logger, type Metrics, type Service } from "@touchstone/service-kit";
import type { MonitorConfig } from "./config.ts";
import { consumeTracesStored } from "./handlers/traces-stored.ts";
import { createSeenTraceStore } from "./seen-traces/seen-trace-store.ts";

const schema = "monitor";

export interface MonitorDependencies {
  logger: Logger;
  clock: Clock;
  metrics: Metrics;
}

/**
 * Monitor watches the traffic: it consumes trace events and, in this version, records what it saw. It serves no public
 * route yet; its HTTP side answers the platform's health checks.
 */
export function createMonitor(config: MonitorConfig, dependencies: MonitorDependencies): Service {
  const { logger } = dependencies;
  const http = createHttpServer({
    service: "monitor",
    routes: [],
    rootSecret: config.rootSecret,
    clock: dependencies.clock,
    logger,
    metrics: dependencies.metrics,
    readiness,
  });
  const database = openDatabase({
    url: config.databaseUrl,
    role: rolesOf(schema).maintenance,
    applicationName: "touchstone monitor",
    connectionsMax: 4,
    statementTimeoutMs: 10_000,
    logger,
  });
  let preparation: SchemaPreparation | null = null;
  let bus: Bus | null = null;
  let consuming: Promise<Consuming> | null = null;
  let stopped = false;

  async function readiness() {
    const checks = {
      schema: preparation?.state() ?? "not started",
      database: await database.check(),
      // Without the bus events wait in ingest's outbox: monitor is late, not broken.
      bus: bus?.status() ?? "not started",
    };
    return { ready: checks.schema === "ok" && checks.database === "ok", checks };
  }

  return {
    name: "monitor",
    async start() {
      const connected = connectBus({
        url: config.nats.url,
        user: config.nats.user,
        password: config.nats.password?.reveal(),
        service: "monitor",
        logger,
      });
      bus = connected;
      preparation = prepareSchema({
        url: config.databaseUrl,
        schema,
        directory: path.join(import.meta.dirname, "..", "migrations"),
        logger,
      });
      void preparation.done.then(() => {
        if (!stopped) consuming = consumeTracesStored(connected, { seenTraces: createSeenTraceStore(database) });
      });
      return { address: await http.listen(config.listen) };
    },
    async stop() {
      stopped = true;
      preparation?.stop();
      await (await consuming)?.stop();
      await http.stop();
      await bus?.drain();
      await database.close();
    },
    readiness,
  };
}
