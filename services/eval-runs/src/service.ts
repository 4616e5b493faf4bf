import type { OutboxRelay } from "@touchstone/bus";
import { createKeptOutboxStore, createProjectClosing, type Database, shareDatabase } from "@touchstone/db";
import { AppError, createComputePool, createCounter, type Metrics, type Service } from "@touchstone/service-kit";
import {
  createStoreService,
  databaseUnavailable,
  type StoreServiceDependencies,
  type StoreServiceKit,
} from "@touchstone/store-service";
import { createAnalysisStore } from "./analyses/analysis-store.ts";
import { createCiRunStore } from "./ci-runs/ci-run-store.ts";
import { sweepExpiredCiRuns } from "./ci-runs/end-expired-ci-runs.ts";
import type { CiFinalizingDependencies } from "./ci-runs/finalize-ci-run.ts";
import type { EvalRunsConfig } from "./config.ts";
import { createDatasetStore } from "./datasets/dataset-store.ts";
import { createDatasetWork } from "./datasets/dataset-work.ts";
import { createNamedDatasetStore } from "./datasets/named-dataset-store.ts";
import { createExportStore } from "./export/exported-table-reader.ts";
import { consumeExperimentItems } from "./external-runs/bus.ts";
import { createCasePlaces } from "./external-runs/case-places.ts";
import { createItemKeeper } from "./external-runs/keep-run-item.ts";
import { createNamedRunStore } from "./external-runs/named-run-store.ts";
import { createGateStore } from "./gates/gate-store.ts";
import { announceUntoldLiveScorers } from "./graders/announce-live-scorers.ts";
import { createConfigStore } from "./graders/config-store.ts";
import { createGroupStore } from "./graders/group-store.ts";
import { createGraderLock } from "./graders/lock-graders.ts";
import { createIngestClient } from "./ingest-client.ts";
import { createLinkedTraces } from "./judging/linked-traces.ts";
import { relayEvents } from "./outbox.ts";
import { createPromptStore } from "./registries/prompt-store.ts";
import { createToolSchemaStore } from "./registries/tool-schema-store.ts";
import { createRescoringStore } from "./rescoring/rescoring-store.ts";
import { createAwaitedOutputs } from "./results/awaited-outputs.ts";
import { createBatchScorer } from "./results/batch-scorer.ts";
import { createClaimStore } from "./results/claim-store.ts";
import { createRatingNews } from "./results/rating-news-store.ts";
import { createResultStore } from "./results/result-store.ts";
import type { StoredResult } from "./results/stored-result.ts";
import { evalRunsRoutes } from "./routes.ts";
import { sweepClosingRuns } from "./runs/complete-closing-runs.ts";
import { sweepIdleRuns } from "./runs/fail-idle-runs.ts";
import { createGradings } from "./runs/gradings.ts";
import { createRunStore } from "./runs/run-store.ts";
import { createRunStreams, showProgress } from "./runs/run-streams.ts";
import { evalRunsSchema, removeDeletedProjects } from "./schema.ts";

/** Connections to PostgreSQL, and the number of them that one project may use at a time; see {@link shareDatabase}. */
const connectionsMax = 20;
const projectMax = { readsMax: 8, writesMax: 8 };

/**
 * Threads for work over large documents. Two: one project never has both. Texts of ten megabytes, their copies and their values
 * take up to 250 MB.
 */
const documentThreads = { threadsMax: 2, queueMax: 64, memoryMaxMb: 384 };

/** Datasets, runs and results: outputs arrive over HTTP, are judged over the bus, and are stored as they are judged. */
export function createEvalRuns(config: EvalRunsConfig, dependencies: StoreServiceDependencies): Service {
  return createStoreService({
    name: "eval-runs",
    schema: evalRunsSchema,
    config,
    dependencies,
    starting: databaseUnavailable,
    open: (kit) => openEvalRuns(kit, config),
  });
}

function openEvalRuns(kit: StoreServiceKit, config: EvalRunsConfig) {
  const { logger, clock, metrics, migration } = kit;
  const { timings } = config;
  const pooled = { statementTimeoutMs: 10_000 };
  const pool = kit.openPool({ ...pooled, role: "app", connectionsMax, openProjects: "evals.open_projects" });
  const { database, ...sharing } = shareDatabase(pool, { name: "database", ...projectMax });
  const maintenance = kit.openPool({ ...pooled, role: "maintenance", connectionsMax: 2 });
  kit.watchOutbox(createKeptOutboxStore(maintenance, evalRunsSchema.schema));
  const bus = kit.connectBus();
  const lockGraders = createGraderLock({ database, bus, logger });
  let relay: OutboxRelay | null = null;
  kit.background([
    () => (relay = relayEvents({ maintenance, bus, logger })),
    () => [
      announceUntoldLiveScorers({ lockGraders, maintenance, logger }),
      removeDeletedProjects({ maintenance, bus, onConfirmed: () => relay?.wake(), logger }),
    ],
  ]);

  const [datasets, runs, results] = [
    createDatasetStore(database),
    createRunStore(database),
    createResultStore(database),
  ];
  const onStored = countStored(metrics);
  const ingest = createIngestClient(kit.connectTo({ audience: "ingest", addresses: config.ingestAddresses }));
  const toolSchemas = createToolSchemaStore(database);
  const linkedTraces = createLinkedTraces({ ingest, toolSchemas, logger, traceMs: timings.traceMs });
  const awaited = createAwaitedOutputs({ database, ingest, logger });
  const ratingNews = createRatingNews({ isExporting: config.exportsVerdicts });
  const runStreams = openRunStreams(kit, pool);
  const claims = createClaimStore(database, timings, ratingNews);
  const scorer = createBatchScorer({ bus, claims, clock, timings, linkedTraces, logger, onStored });
  kit.defer(() => scorer.stop(timings.stopGraceMs));
  const stopping = new AbortController();
  kit.defer(() => stopping.abort(new AppError("service_unavailable", "The service is stopping; retry.")));
  const finalizing = { batchMs: timings.batchMs, clock, signal: stopping.signal };
  startSweepers(kit, config, { ...finalizing, pool, maintenance });

  const threads = kit.keep(createComputePool({ name: "eval-runs", logger, metrics, ...documentThreads }));
  const work = createDatasetWork(threads);
  const named = createNamedDatasetStore(database, work);
  const gradings = createGradings({ datasets, runs });
  const store = createNamedRunStore(database);
  const keep = createItemKeeper({ store, datasets, places: createCasePlaces(datasets), gradings, clock, onStored });
  kit.background([() => consumeExperimentItems(bus, { keep, store, named })]);
  const routes = evalRunsRoutes({
    ...finalizing,
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
    ingest,
    linkedTraces,
    awaited,
    timings,
    logger,
    gates: createGateStore(database),
    ciRuns: createCiRunStore(database),
    prompts: createPromptStore(database),
    toolSchemas,
    gradings,
    configs: createConfigStore(database),
    groups: createGroupStore(database),
    lockGraders,
    scorer,
    exports: createExportStore(database),
    work,
    named,
    keep,
    closing: createProjectClosing({ database: maintenance, schema: evalRunsSchema.schema, logger }),
  });
  return kit.serve({
    routes: routes.map(({ route, handle }) => ({ route, handle: kit.onceReady(handle) })),
    drainMs: config.drainMs,
    ...sharing,
    readiness: {
      needed: { schema: migration.state, database: pool.check },
      // Reported, but not required: without the bus runs can be read and created, and results wait for a judge within their
      // deadline. Taking every replica out of service would turn a delay into an outage.
      shown: { bus: bus.status },
    },
  });
}

/**
 * Starts the sweepers that end abandoned runs: for all projects in turn, so that one project's share does not delay them. They
 * stop together.
 */
function startSweepers(
  { logger, defer }: StoreServiceKit,
  { runIdleMs }: EvalRunsConfig,
  options: { pool: Database; maintenance: Database } & Pick<CiFinalizingDependencies, "batchMs" | "clock" | "signal">,
): void {
  const { pool, maintenance, ...finalizing } = options;
  const stores = {
    database: pool,
    runs: createRunStore(pool),
    results: createResultStore(pool),
    ciRuns: createCiRunStore(pool),
  };
  const sweepers = [
    sweepClosingRuns({ database: maintenance, batchMs: finalizing.batchMs, logger }),
    sweepExpiredCiRuns({ ...finalizing, ...stores, maintenance, logger }),
    ...(runIdleMs === null ? [] : [sweepIdleRuns({ database: maintenance, idleMs: runIdleMs, logger })]),
  ];
  defer(async () => {
    await Promise.all(sweepers.map((sweeper) => sweeper.stop()));
  });
}

/** For all projects in turn, like the sweepers. */
function openRunStreams({ keep, logger }: StoreServiceKit, pool: Database) {
  const results = createResultStore(pool);
  return keep(
    createRunStreams({
      readProgress: async (projectId, runId) => {
        const progress = await results.readProgress(projectId, runId);
        return progress && showProgress(runId, progress);
      },
      logger,
    }),
  );
}

/** Counts stored results. */
function countStored(metrics: Metrics): (result: StoredResult) => void {
  const stored = createCounter(metrics, "service_results_stored_total");
  return ({ status, skipReason }) => stored.inc({ status, reason: skipReason ?? "" });
}
