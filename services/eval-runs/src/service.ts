import path from "node:path";
import { type Bus, connectBus } from "@touchstone/bus";
import { notTakenHeader } from "@touchstone/contracts";
import { type Database, openDatabase, prepareSchema, rolesOf, type SchemaPreparation } from "@touchstone/db";
import {
  AppError,
  type Clock,
  createHttpServer,
  type Handler,
  type Logger,
  type Metrics,
  type Readiness,
  type Service,
} from "@touchstone/service-kit";
import { Counter } from "prom-client";
import type { EvalRunsConfig } from "./config.ts";
import { createDatasetStore } from "./datasets/dataset-store.ts";
import { createGradingCache } from "./datasets/grading-cache.ts";
import { createExportStore } from "./export/export-store.ts";
import { evalRunsRoutes } from "./http/routes.ts";
import { sweepClosingRuns } from "./maintenance/complete-closing-runs.ts";
import { createBatchScorer } from "./results/batch-scorer.ts";
import { createClaimStore } from "./results/claim-store.ts";
import { createResultStore } from "./results/result-store.ts";
import { createRunStore } from "./runs/run-store.ts";

const schema = "evals";

export interface EvalRunsDependencies {
  logger: Logger;
  clock: Clock;
  metrics: Metrics;
}

/** Datasets, runs and results: outputs come in over HTTP, are judged over the bus, and are stored as they are judged. */
export function createEvalRuns(config: EvalRunsConfig, dependencies: EvalRunsDependencies): Service {
  const { logger, clock, metrics } = dependencies;
  const { timings } = config;
  const cleanups = new AsyncDisposableStack();
  let parts: { database: Database; bus: Bus; preparation: SchemaPreparation } | null = null;

  async function start(): Promise<{ address: string }> {
    const database = open("app", 16);
    const maintenance = open("maintenance", 2);
    const bus = connectBus({
      url: config.nats.url,
      user: config.nats.user,
      password: config.nats.password?.reveal(),
      service: "eval-runs",
      logger,
    });
    cleanups.defer(() => bus.drain());
    const preparation = prepareSchema({
      url: config.databaseUrl,
      schema,
      directory: path.join(import.meta.dirname, "..", "migrations"),
      logger,
    });
    cleanups.defer(() => preparation.stop());
    parts = { database, bus, preparation };

    const datasets = createDatasetStore(database);
    const stored = new Counter({
      name: "service_results_stored_total",
      help: "Results stored, by status and reason of being skipped.",
      labelNames: ["status", "reason"],
      registers: [metrics],
    });
    const scorer = createBatchScorer({
      bus,
      claims: createClaimStore(database, timings),
      clock,
      timings,
      logger,
      onStored: ({ status, skipReason }) => stored.inc({ status, reason: skipReason ?? "" }),
    });
    cleanups.defer(() => scorer.stop(timings.stopGraceMs));
    const stopping = new AbortController();
    cleanups.defer(() => stopping.abort(new AppError("service_unavailable", "The service is stopping; retry.")));
    const sweeper = sweepClosingRuns({ database: maintenance, batchMs: timings.batchMs, logger });
    cleanups.defer(() => sweeper.stop());

    const routes = evalRunsRoutes({
      database,
      datasets,
      runs: createRunStore(database),
      results: createResultStore(database),
      readGrading: createGradingCache(datasets),
      scorer,
      exports: createExportStore(database),
      clock,
      batchMs: timings.batchMs,
      signal: stopping.signal,
    });
    const http = createHttpServer({
      service: "eval-runs",
      routes: routes.map(({ route, handle }) => ({ route, handle: onceMigrated(preparation, handle) })),
      rootSecret: config.rootSecret,
      clock,
      logger,
      metrics,
      drainMs: config.drainMs,
      readiness,
    });
    cleanups.defer(() => http.stop());
    return { address: await http.listen(config.listen) };
  }

  function open(purpose: "app" | "maintenance", connectionsMax: number): Database {
    const database = openDatabase({
      url: config.databaseUrl,
      role: rolesOf(schema)[purpose],
      applicationName: `touchstone eval-runs ${purpose}`,
      connectionsMax,
      statementTimeoutMs: 10_000,
      logger,
    });
    cleanups.defer(() => database.close());
    return database;
  }

  async function readiness(): Promise<Readiness> {
    if (parts === null) return { ready: false, checks: { schema: "not started" } };
    const checks = {
      schema: parts.preparation.state(),
      database: await parts.database.check(),
      // Told, not required: without the bus runs are read and created as ever, and results wait for a judge inside
      // their deadline. Taking every replica out of service for it would turn a delay into an outage.
      bus: parts.bus.status(),
    };
    return { ready: checks.schema === "ok" && checks.database === "ok", checks };
  }

  return { name: "eval-runs", start, stop: () => cleanups.disposeAsync(), readiness };
}

/** Until the schema is there, every request is answered 503 and the client tries again. */
function onceMigrated(preparation: SchemaPreparation, handle: Handler): Handler {
  return async (call) => {
    const state = preparation.state();
    if (state !== "ok") {
      throw new AppError("store_unavailable", "The database is unavailable; retry.", {
        cause: new Error(state),
        internalHeaders: { [notTakenHeader]: "1" },
      });
    }
    return handle(call);
  };
}
