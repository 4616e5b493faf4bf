import path from "node:path";
import { type Bus, connectBus, createOutboxRelay, type OutboxRelay } from "@touchstone/bus";
import { keyRevoked } from "@touchstone/contracts";
import { createOutboxStore, openDatabase, prepareSchema, rolesOf, type SchemaPreparation } from "@touchstone/db";
import {
  type Clock,
  createHttpServer,
  type Handler,
  type Logger,
  type Metrics,
  type Readiness,
  type Service,
  serviceStarting,
} from "@touchstone/service-kit";
import type { AuthConfig } from "./config.ts";
import { listRoutes } from "./http/routes.ts";
import { createKeyVault } from "./project-keys/key-vault.ts";
import { prepareDefaultProject } from "./projects/default-project.ts";
import { createExportedProjectReader } from "./projects/exported-project.ts";
import { createProjectStore } from "./projects/project-store.ts";

const schema = "auth";

export interface AuthDependencies {
  logger: Logger;
  clock: Clock;
  metrics: Metrics;
}

/**
 * Auth owns projects and their keys, and answers the gateway's question whose key one is. It serves as soon as it
 * listens; until PostgreSQL, the schema and the default project are there, every request is answered 503.
 */
export function createAuth(config: AuthConfig, { logger, clock, metrics }: AuthDependencies): Service {
  const openPool = (role: string, connectionsMax: number) =>
    openDatabase({
      url: config.databaseUrl,
      role,
      applicationName: "touchstone auth",
      connectionsMax,
      statementTimeoutMs: 5_000,
      logger,
    });
  const database = openPool(rolesOf(schema).app, 8);
  const maintenance = openPool(rolesOf(schema).maintenance, 1);
  const projects = createProjectStore(database, createKeyVault(config.rootSecret), clock);
  const http = createHttpServer({
    service: "auth",
    routes: listRoutes({
      projects,
      readExportedProject: createExportedProjectReader(database),
      announceRevocations: () => relay?.wake(),
    }).map(({ route, handle }) => ({
      route,
      handle: onceReady(handle),
    })),
    rootSecret: config.rootSecret,
    clock,
    logger,
    metrics,
    readiness,
  });
  let bus: Bus | null = null;
  let relay: OutboxRelay | null = null;
  let preparation: { schema: SchemaPreparation; defaultProject: SchemaPreparation } | null = null;
  let stopped = false;

  function onceReady(handle: Handler): Handler {
    return async (call) => {
      if (preparation?.defaultProject.state() !== "ok") {
        throw serviceStarting();
      }
      return handle(call);
    };
  }

  async function readiness(): Promise<Readiness> {
    const checks = {
      schema: preparation?.schema.state() ?? "not started",
      projects: preparation?.defaultProject.state() ?? "not started",
      database: await database.check(),
      // Without the bus gateways forget a revoked key within 5 s by themselves: late, not broken.
      bus: bus?.status() ?? "not started",
    };
    return { ready: checks.schema === "ok" && checks.projects === "ok" && checks.database === "ok", checks };
  }

  return {
    name: "auth",
    async start() {
      const connected = connectBus({
        url: config.nats.url,
        user: config.nats.user,
        password: config.nats.password?.reveal(),
        service: "auth",
        logger,
      });
      bus = connected;
      const migration = prepareSchema({
        url: config.databaseUrl,
        schema,
        directory: path.join(import.meta.dirname, "..", "migrations"),
        logger,
      });
      const defaultProject = prepareDefaultProject({ schema: migration, projects, logger });
      preparation = { schema: migration, defaultProject };
      void defaultProject.done.then(() => {
        if (stopped) return;
        relay = createOutboxRelay({
          store: createOutboxStore(maintenance, schema),
          bus: connected,
          events: [keyRevoked],
          logger,
          pollMs: 1_000,
        });
      });
      return { address: await http.listen(config.listen) };
    },
    async stop() {
      stopped = true;
      preparation?.schema.stop();
      preparation?.defaultProject.stop();
      await http.stop();
      await relay?.stop();
      await bus?.drain();
      await Promise.all([database.close(), maintenance.close()]);
    },
    readiness,
  };
}
