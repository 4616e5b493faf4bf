import { randomInt } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type Answering, type Bus, type Consuming, connectBus } from "@touchstone/bus";
import { limits } from "@touchstone/contracts";
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
  type Clock,
  countDeadLetters,
  createComputePool,
  createHttpServer,
  createTenants,
  type Handler,
  type LocalCalls,
  type Logger,
  type Metrics,
  type Readiness,
  type Service,
  serviceStarting,
  type Tenants,
} from "@touchstone/service-kit";
import { createAgentStore } from "./agents/agent-store.ts";
import { assemblySettings } from "./assembly/assembly-settings.ts";
import { type EventRelay, relayEvents } from "./background/relay-events.ts";
import type { IngestConfig } from "./config.ts";
import { createAgentExportStore } from "./export/agent-export-store.ts";
import { createSpanExportStore } from "./export/span-export-store.ts";
import { createImportWriter } from "./import/import-writer.ts";
import { createStoredSpanFinder } from "./import/stored-span-finder.ts";
import { consumeSessionsJudged, consumeTracesJudged } from "./judging/bus.ts";
import { createSessionVerdictStore } from "./judging/session-verdict-store.ts";
import { createVerdictStore } from "./judging/verdict-store.ts";
import { createEventIds } from "./live/event-ids.ts";
import { createLiveTail } from "./live/live-tail.ts";
import { createTailStore } from "./live/tail-store.ts";
import type { StoredSpan } from "./model/read-span.ts";
import type { SpanJob } from "./model/span-row.ts";
import { createDecodeApart } from "./otlp/decode-apart.ts";
import { outboxEvents } from "./outbox.ts";
import { answerKeepModelPrices, consumeModelPricesChanged } from "./pricing/bus.ts";
import { createCostEstimator } from "./pricing/cost-estimator.ts";
import { createPriceListKeeper, createPriceStore } from "./pricing/price-store.ts";
import { keepWithinQuota, type TraceQuota } from "./quota/keep-within-quota.ts";
import { createRequestCountStore } from "./quota/request-count-store.ts";
import { createSpentProjects } from "./quota/spent-projects.ts";
import { createUsageStore } from "./quota/usage-store.ts";
import { createGroupCommit, writerCount } from "./recording/group-commit.ts";
import { createIngestMetrics } from "./recording/ingest-metrics.ts";
import { createSpanRecorder } from "./recording/span-recorder.ts";
import { createWriteWatch } from "./recording/watch-writes.ts";
import { retainSpans } from "./retention/retain-spans.ts";
import { createRetentionStore } from "./retention/retention-store.ts";
import { listRoutes } from "./routes.ts";
import { ingestSchema, removeDeletedProjects } from "./schema.ts";
import { indexSearch, type SearchUpkeep } from "./search/index-search.ts";
import { createSearchPieceStore } from "./search/search-piece-store.ts";
import { createSessionStore } from "./sessions/session-store.ts";
import { sweepTraces } from "./settling/sweep-traces.ts";
import { createPostgresTraceStore } from "./trace-store/postgres-trace-store.ts";
import { createRootReader } from "./trace-store/reading/root-reader.ts";
import { createSpanPartitionStore } from "./trace-store/span-partition-store.ts";
import { keepPartitions, type PartitionUpkeep } from "./trace-store/writing/keep-partitions.ts";
import { showTold } from "./traces/show-trace.ts";
import { createAgentTokenReader } from "./usage-metrics/agent-token-reader.ts";
import { createMetricsStore } from "./usage-metrics/metrics-store.ts";

/** For heavy spans. A span of 64 MiB, all of it one text, takes up to 300 MB. */
const decodingThreads = { threadsMax: 2, queueMax: 32, memoryMaxMb: 512 };

/** The longest a statement that reads traces may take. */
const longestReadMs = 15_000;

export interface IngestDependencies {
  logger: Logger;
  clock: Clock;
  metrics: Metrics;
  /** Where a gateway in the same process finds us without a socket. */
  localCalls?: LocalCalls | undefined;
}

/**
 * Ingest takes spans over REST and OTLP, commits them before it answers, and reads them back. It serves as soon as it
 * listens; until PostgreSQL and the schema are there every request is answered 503. It does not need the bus: events
 * wait in the outbox.
 */
export function createIngest(
  config: IngestConfig,
  { logger, clock, metrics, localCalls }: IngestDependencies,
): Service {
  const tenants = createTenants();
  const { shares, tailing, ...pools } = openPools(config, tenants, logger);
  const { writing, reading, searching, maintenance, building } = pools;
  const partitions = createSpanPartitionStore(maintenance);
  const pieces = createSearchPieceStore({ maintenance, building });
  const { tracesPerDay } = config;
  const quota: TraceQuota | null = tracesPerDay === null ? null : { tracesPerDay, spent: createSpentProjects() };
  const processNumber = randomInt(1 << 20);
  const traces = createPostgresTraceStore({ ...pools, partitions, pieces, processNumber, tracesPerDay });
  const insert =
    quota === null ? traces.insertBatch : keepWithinQuota(traces, quota, createUsageStore(writing).readToday);
  const writes = createWriteWatch(maintenance);
  const ingestMetrics = createIngestMetrics(metrics, () => commits.depth());
  const commits = createGroupCommit<SpanJob, StoredSpan[]>({
    write: writes.watch(insert),
    sizeOf: (job) => ({
      rows: job.rows.length + (job.fragments?.length ?? 0),
      bytes: job.bytes,
      isBulk: job.isBulk === true,
    }),
    tenantOf: ({ projectId }) => tenants.tenantOf(projectId),
    batchRowsMax: config.batchRowsMax,
    rowsMax: config.queueRowsMax,
    bytesMax: limits.ingestQueueMaxBytes,
    sleep: (ms) => sleep(ms),
    onCommit() {
      ingestMetrics.committed();
      relay?.wake();
    },
  });
  const recorder = createSpanRecorder({
    commits,
    tenants,
    clock,
    fieldCharsMax: config.fieldCharsMax,
    metrics: ingestMetrics,
    quota,
    settlesChildren: config.monitorsChildSpans,
  });
  const prices = createPriceStore(reading);
  const costs = createCostEstimator({ reading, prices });
  const [tail, eventIds] = [createTailStore(tailing), createEventIds(config.rootSecret)];
  const roots = createRootReader(tailing);
  const liveTail = createLiveTail({ store: tail, traces: roots, show: showTold(costs), eventIds, clock, logger });
  const threads = createComputePool({ name: "ingest", logger, metrics, ...decodingThreads });
  const http = createHttpServer({
    service: "ingest",
    routes: listRoutes({
      recorder,
      traces,
      liveTail,
      ...openReadStores(reading, searching),
      prices,
      costs,
      clock,
      requestCounts: createRequestCountStore({ reading, maintenance }),
      tracesPerDay,
      retentionDays: config.retentionDays,
      otlpBodyMaxBytes: config.otlpBodyMaxBytes,
      genAiOnly: config.genAiOnly,
      imports: createImportWriter({
        commits,
        findStored: createStoredSpanFinder(reading),
        clock,
        fieldCharsMax: config.fieldCharsMax,
        metrics: ingestMetrics,
      }),
      decodeApart: createDecodeApart(threads),
      closing: createProjectClosing({ database: maintenance, schema: ingestSchema.schema, logger }),
      onceReady,
    }),
    rootSecret: config.rootSecret,
    clock,
    logger,
    metrics,
    drainMs: config.drainMs,
    bodiesMaxBytes: limits.ingestBodiesMaxBytes,
    tenants,
    shares: { ...commits.shares, ...shares },
    localCalls,
    readiness,
  });
  let bus: Bus | null = null;
  let preparation: SchemaPreparation | null = null;
  let upkeep: PartitionUpkeep | null = null;
  let relay: EventRelay | null = null;
  let upkeeps: { stop(): Promise<void> }[] = [];
  let hearing: Promise<Consuming | Answering>[] = [];
  let searchUpkeep: SearchUpkeep | null = null;
  let stopped = false;

  function onceReady(handle: Handler): Handler {
    return async (call) => {
      if (preparation?.state() !== "ok") throw serviceStarting();
      return handle(call);
    };
  }

  async function readiness(): Promise<Readiness> {
    const [database, written] = await Promise.all([writing.check(), writes.state()]);
    const checks = {
      schema: preparation?.state() ?? "not started",
      partitions: upkeep?.state() ?? "not started",
      database,
      writes: written,
      // Without the bus events wait in the outbox: monitoring is late, ingest is not.
      bus: bus?.status() ?? "not started",
    };
    const { bus: _notNeeded, ...needed } = checks;
    return { ready: Object.values(needed).every((state) => state === "ok"), checks };
  }

  return {
    name: "ingest",
    async start() {
      const connected = connectBus({
        url: config.nats.url,
        user: config.nats.user,
        password: config.nats.password?.reveal(),
        service: "ingest",
        logger,
        onDeadLetter: countDeadLetters({ service: "ingest", metrics }),
      });
      bus = connected;
      preparation = prepareSchema({ url: config.databaseUrl, ...ingestSchema, logger });
      void preparation.done.then(() => {
        if (stopped) return;
        upkeep = keepPartitions({ partitions, clock, logger });
        searchUpkeep = indexSearch({ pieces, maintenance, logger, longestReadMs: longestReadMs + 5_000 });
        relay = relayEvents({ maintenance, bus: connected, events: outboxEvents, logger });
        hearing = hearOthers(connected, maintenance);
        const wakeRelay = (): void => relay?.wake();
        const removal = removeDeletedProjects({ maintenance, bus: connected, logger, onConfirmed: wakeRelay });
        upkeeps = [
          retainSpans({ maintenance, retentionDays: config.retentionDays, logger }),
          sweepTraces({
            maintenance,
            tracesPerDay,
            settings: assemblySettings,
            settlesChildren: config.monitorsChildSpans,
            logger,
            onSwept: wakeRelay,
          }),
          { stop: async () => (await removal).stop() },
        ];
      });
      return { address: await http.listen(config.listen) };
    },
    async stop() {
      stopped = true;
      preparation?.stop();
      upkeep?.stop();
      await liveTail.stop();
      await http.stop();
      await commits.stop();
      await threads.stop();
      await searchUpkeep?.stop();
      await Promise.all(hearing.map(async (each) => (await each).stop()));
      await relay?.stop();
      await Promise.all(upkeeps.map((each) => each.stop()));
      await bus?.drain();
      await closePools(pools);
    },
    readiness,
  };
}

/** What requests read besides traces. */
function openReadStores(reading: Database, searching: Database) {
  return {
    agents: createAgentStore(reading),
    sessions: createSessionStore(reading),
    metricsStore: createMetricsStore(searching),
    agentTokens: createAgentTokenReader(searching),
    usage: createUsageStore(reading),
    retention: createRetentionStore(reading),
    spanExports: createSpanExportStore(reading),
    agentExports: createAgentExportStore(reading),
  };
}

/** What other services tell ingest. */
function hearOthers(bus: Bus, maintenance: Database): Promise<Consuming | Answering>[] {
  const priceLists = createPriceListKeeper(maintenance);
  return [
    consumeSessionsJudged(bus, { sessionVerdicts: createSessionVerdictStore(maintenance) }),
    consumeTracesJudged(bus, { verdicts: createVerdictStore(maintenance) }),
    consumeModelPricesChanged(bus, { priceLists }),
    answerKeepModelPrices(bus, { priceLists }),
  ];
}

/**
 * The connections to PostgreSQL, apart for each kind of work: readers never take a writer's, and tenants share those of
 * readers. The live tail reads for all tenants at once and is not held up by a share.
 */
function openPools({ databaseUrl }: IngestConfig, tenants: Tenants, logger: Logger) {
  const roles = rolesOf(ingestSchema.schema);
  const open = (role: string, connectionsMax: number, statementTimeoutMs: number, plans?: { plansByKey: true }) =>
    openDatabase({
      url: databaseUrl,
      role,
      applicationName: "touchstone ingest",
      connectionsMax,
      statementTimeoutMs,
      openProjects: role === roles.app ? "ingest.open_projects" : undefined,
      ...plans,
      logger,
    });
  const tailing = open(roles.app, 17, 10_000, { plansByKey: true });
  const lists = shareDatabase(tailing, { name: "lists", readsMax: 8, writesMax: 2, tenants });
  // A search of what is not indexed yet may read everything: few at once, and none for ever.
  const searches = shareDatabase(open(roles.app, 6, longestReadMs, { plansByKey: true }), {
    name: "searches",
    readsMax: 4,
    writesMax: 1,
    tenants,
  });
  return {
    writing: open(roles.app, writerCount, 5_000, { plansByKey: true }),
    reading: lists.database,
    tailing,
    searching: searches.database,
    shares: { ...lists.shares, ...searches.shares },
    maintenance: open(roles.maintenance, 3, 30_000),
    // Indexes of the searched text take up to minutes.
    building: open(roles.maintenance, 2, 15 * 60_000),
  };
}

async function closePools({
  building,
  ...pools
}: Omit<ReturnType<typeof openPools>, "shares" | "tailing">): Promise<void> {
  // A build may be under way for minutes: it ends with the process, and leaves nothing that hinders the next one.
  void building.close().catch(() => undefined);
  await Promise.all(Object.values(pools).map((pool) => pool.close()));
}
