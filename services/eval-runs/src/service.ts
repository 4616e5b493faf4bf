import { type Bus, connectBus } from "@touchstone/bus";
import { notTakenHeader } from "@touchstone/contracts";
import {
  createProjectClosing,
  type Database,
  openDatabase,
  prepareSchema,
  rolesOf,
  type SchemaPreparation,
  shareDatabase,
} from "@touchstone/db";
import {
  AppError,
  type Clock,
  countDeadLetters,
  createHttpServer,
  createInternalClient,
  type Handler,
  type LocalCalls,
  type Logger,
  type Metrics,
  type Readiness,
  type Service,
} from "@touchstone/service-kit";
import { Counter } from "prom-client";
import { createAnalysisStore } from "./analyses/analysis-store.ts";
import { createCiRunStore } from "./ci-runs/ci-run-store.ts";
import { sweepExpiredCiRuns } from "./ci-runs/end-expired-ci-runs.ts";
import type { CiFinalizingDependencies } from "./ci-runs/finalize-ci-run.ts";
import type { EvalRunsConfig } from "./config.ts";
import { createDatasetStore } from "./datasets/dataset-store.ts";
import { createExportStore } from "./export/exported-tables.ts";
import { createGateStore } from "./gates/gate-store.ts";
import { announceUntoldLiveScorers } from "./graders/announce-live-scorers.ts";
import { createConfigStore } from "./graders/config-store.ts";
import { createGroupStore } from "./graders/group-store.ts";
import { createGraderLock } from "./graders/lock-graders.ts";
import { createIngestClient, type IngestClient } from "./ingest-client.ts";
import { createLinkedTraces } from "./judging/linked-traces.ts";
import { relayEvents } from "./outbox.ts";
import { createPromptStore } from "./registries/prompt-store.ts";
import { createToolSchemaStore } from "./registries/tool-schema-store.ts";
import { createRescoringStore } from "./rescoring/rescoring-store.ts";
import { createBatchScorer } from "./results/batch-scorer.ts";
import { createClaimStore } from "./results/claim-store.ts";
import { createRatingNews } from "./results/rating-news.ts";
import { createResultStore, type ResultStore } from "./results/result-store.ts";
import type { StoredResult } from "./results/stored-result.ts";
import { evalRunsRoutes } from "./routes.ts";
import { sweepClosingRuns } from "./runs/complete-closing-runs.ts";
import { sweepIdleRuns } from "./runs/fail-idle-runs.ts";
import { createGradings } from "./runs/gradings.ts";
import { createRunStore } from "./runs/run-store.ts";
import { createRunStreams, type RunStreams, showProgress } from "./runs/run-streams.ts";
import { migrations, removeDeletedProjects, schema } from "./schema.ts";

/** Connections to PostgreSQL, and of these what one project may use at a time; see {@link shareDatabase}. */
const connectionsMax = 20;
const projectMax = { readsMax: 8, writesMax: 8 };

export interface EvalRunsDependencies {
  logger: Logger;
  clock: Clock;
  metrics: Metrics;
  /** Where an ingest in the same process is found without a socket. */
  localCalls?: LocalCalls | undefined;
}

/** Datasets, runs and results: outputs come in over HTTP, are judged over the bus, and are stored as they are judged. */
export function createEvalRuns(config: EvalRunsConfig, dependencies: EvalRunsDependencies): Service {
  const { logger, clock, metrics, localCalls } = dependencies;
  const { timings } = config;
  const cleanups = new AsyncDisposableStack();
  let parts: { database: Database; bus: Bus; preparation: SchemaPreparation } | null = null;

  async function start(): Promise<{ address: string }> {
    const pool = open("app", connectionsMax);
    const { database, ...sharing } = shareDatabase(pool, { name: "database", ...projectMax });
    const maintenance = open("maintenance", 2);
    const bus = connectBus({
      url: config.nats.url,
      user: config.nats.user,
      password: config.nats.password?.reveal(),
      service: "eval-runs",
      logger,
      onDeadLetter: countDeadLetters({ service: "eval-runs", metrics }),
    });
    cleanups.defer(() => bus.drain());
    const preparation = prepareSchema({
      url: config.databaseUrl,
      schema,
      directory: migrations,
      logger,
    });
    cleanups.defer(() => preparation.stop());
    const lockGraders = createGraderLock({ database, bus, logger });
    const events = startOnceMigrated(preparation, () => {
      const relay = relayEvents({ maintenance, bus, logger });
      const announcing = announceUntoldLiveScorers({ lockGraders, maintenance, logger });
      const deletions = removeDeletedProjects({ maintenance, bus, onConfirmed: () => relay.wake(), logger });
      return {
        async stop() {
          await Promise.all([announcing.stop(), deletions.stop()]);
          await relay.stop();
        },
      };
    });
    cleanups.defer(() => events.stop());
    parts = { database, bus, preparation };

    const datasets = createDatasetStore(database);
    const runs = createRunStore(database);
    const onStored = countStored(metrics);
    const results = createResultStore(database);
    const traces = connectIngest();
    const toolSchemas = createToolSchemaStore(database);
    const linkedTraces = createLinkedTraces({ ingest: traces, toolSchemas, logger, traceMs: timings.traceMs });
    const ratingNews = createRatingNews({ isExporting: config.exportsVerdicts });
    const scorer = createBatchScorer({
      bus,
      claims: createClaimStore(database, timings, ratingNews),
      clock,
      timings,
      linkedTraces,
      logger,
      onStored,
    });
    // Work for all projects in turn: one project's share must not delay it.
    const forAll = { database: pool, runs: createRunStore(pool), results: createResultStore(pool) };
    const runStreams = openRunStreams(forAll.results);
    cleanups.defer(() => scorer.stop(timings.stopGraceMs));
    const stopping = new AbortController();
    cleanups.defer(() => stopping.abort(new AppError("service_unavailable", "The service is stopping; retry.")));

    const ciRuns = createCiRunStore(database);
    const { batchMs } = timings;
    const finalizing = { ...forAll, ciRuns: createCiRunStore(pool), batchMs, clock, signal: stopping.signal };
    startSweepers({ ...finalizing, maintenance });

    const routes = evalRunsRoutes({
      database,
      datasets,
      runs,
      results,
      ratingNews,
      rescorings: createRescoringStore(database, ratingNews),
      runStreams,
      onStored,
      analyses: createAnalysisStore(database),
      bus,
      ingest: traces,
      linkedTraces,
      timings,
      logger,
      gates: createGateStore(database),
      ciRuns,
      prompts: createPromptStore(database),
      toolSchemas,
      gradings: createGradings({ datasets, runs }),
      configs: createConfigStore(database),
      groups: createGroupStore(database),
      lockGraders,
      scorer,
      exports: createExportStore(database),
      closing: createProjectClosing({ database: maintenance, schema, logger }),
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
      ...sharing,
      readiness,
    });
    cleanups.defer(() => http.stop());
    return { address: await http.listen(config.listen) };
  }

  /** Starts what ends runs that their clients left behind. `maintenance` sees the runs of every project. */
  function startSweepers({ maintenance, ...finalizing }: CiFinalizingDependencies & { maintenance: Database }): void {
    const { runIdleMs } = config;
    const sweepers = [
      sweepClosingRuns({ database: maintenance, batchMs: finalizing.batchMs, logger }),
      sweepExpiredCiRuns({ ...finalizing, maintenance, logger }),
      ...(runIdleMs === null ? [] : [sweepIdleRuns({ database: maintenance, idleMs: runIdleMs, logger })]),
    ];
    cleanups.defer(async () => {
      await Promise.all(sweepers.map((sweeper) => sweeper.stop()));
    });
  }

  function openRunStreams(results: ResultStore): RunStreams {
    const streams = createRunStreams({
      readProgress: async (projectId, runId) => {
        const progress = await results.readProgress(projectId, runId);
        return progress && showProgress(runId, progress);
      },
      logger,
    });
    cleanups.defer(() => streams.stop());
    return streams;
  }

  function open(purpose: "app" | "maintenance", connectionsMax: number): Database {
    const database = openDatabase({
      url: config.databaseUrl,
      role: rolesOf(schema)[purpose],
      applicationName: `touchstone eval-runs ${purpose}`,
      connectionsMax,
      statementTimeoutMs: 10_000,
      openProjects: purpose === "app" ? "evals.open_projects" : undefined,
      logger,
    });
    cleanups.defer(() => database.close());
    return database;
  }

  function connectIngest(): IngestClient {
    const client = createInternalClient({
      issuer: "eval-runs",
      audience: "ingest",
      addresses: config.ingestAddresses,
      rootSecret: config.rootSecret,
      clock,
      localCalls,
    });
    cleanups.defer(() => client.close());
    return createIngestClient(client);
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

/** Counts results as they are stored. */
function countStored(metrics: Metrics): (result: StoredResult) => void {
  const stored = new Counter({
    name: "service_results_stored_total",
    help: "Results stored, by status and reason of being skipped.",
    labelNames: ["status", "reason"],
    registers: [metrics],
  });
  return ({ status, skipReason }) => stored.inc({ status, reason: skipReason ?? "" });
}

/** Starts background work that needs the schema. */
function startOnceMigrated(
  preparation: SchemaPreparation,
  start: () => { stop(): Promise<void> },
): { stop(): Promise<void> } {
  let started: { stop(): Promise<void> } | null = null;
  let isStopped = false;
  void preparation.done.then(() => {
    if (!isStopped) started = start();
  });
  return {
    async stop() {
      isStopped = true;
      await started?.stop();
    },
  };
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
