import { randomInt } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Answering, Bus, Consuming } from "@touchstone/bus";
import { limits } from "@touchstone/contracts";
import {
  createKeptOutboxStore,
  createProjectClosing,
  type Database,
  openDatabase,
  rolesOf,
  shareDatabase,
} from "@touchstone/db";
import { createComputePool, createTenants, type HttpServer, type Service, type Tenants } from "@touchstone/service-kit";
import { createStoreService, type StoreServiceDependencies, type StoreServiceKit } from "@touchstone/store-service";
import { createAgentStore } from "./agents/agent-store.ts";
import { assemblySettings } from "./assembly/assembly-settings.ts";
import { watchDatabase } from "./background/database-figure-reader.ts";
import { type EventRelay, relayEvents } from "./background/relay-events.ts";
import type { IngestConfig } from "./config.ts";
import { createAgentExportStore } from "./export/agent-export-store.ts";
import { createImportWriter } from "./import/import-writer.ts";
import { consumeSessionsJudged, consumeTracesJudged } from "./judging/bus.ts";
import { createSessionVerdictStore } from "./judging/session-verdict-store.ts";
import { createVerdictStore } from "./judging/verdict-store.ts";
import { createEventIds } from "./live/event-ids.ts";
import { createLiveTail } from "./live/live-tail.ts";
import { createTailStore } from "./live/tail-store.ts";
import { createMediaExportStore } from "./media/media-export-store.ts";
import { createMediaStore } from "./media/media-store.ts";
import { createContentReceiver } from "./media/receive-content.ts";
import { createSignedAddresses } from "./media/signed-addresses.ts";
import { sweepMedia } from "./media/sweep-media.ts";
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
import { retainSpans } from "./retention/retain-spans.ts";
import { createRetentionStore } from "./retention/retention-store.ts";
import { createStoredAmountsReader } from "./retention/stored-amounts-reader.ts";
import { listRoutes } from "./routes.ts";
import { ingestSchema, removeDeletedProjects } from "./schema.ts";
import { createScoreStore } from "./scores/score-store.ts";
import { indexSearch } from "./search/index-search.ts";
import { createSearchBlockStore } from "./search/search-block-store.ts";
import { sweepTraces } from "./settling/sweep-traces.ts";
import { createSpanAssembler } from "./span-updates/assemble-span.ts";
import { createPostgresTraceStore } from "./trace-store/postgres-trace-store.ts";
import { createRootReader } from "./trace-store/reading/root-reader.ts";
import { createSessionStore } from "./trace-store/reading/session-store.ts";
import { createSpanExportStore } from "./trace-store/reading/span-export-store.ts";
import { createStoredSpanFinder } from "./trace-store/reading/stored-span-finder.ts";
import { createSpanPartitionStore } from "./trace-store/span-partition-store.ts";
import { keepPartitions, type PartitionUpkeep } from "./trace-store/writing/keep-partitions.ts";
import { createWriteWatch } from "./trace-store/writing/watch-writes.ts";
import { showTailItem } from "./traces/show-trace.ts";
import { createAgentTokenReader } from "./usage-metrics/agent-token-reader.ts";
import { createMetricsStore } from "./usage-metrics/metrics-store.ts";
import { createPromptUseReader } from "./usage-metrics/prompt-use-reader.ts";

/** For heavy spans. A span of 64 MiB that is one text takes up to 300 MB. */
const decodingThreads = { threadsMax: 2, queueMax: 32, memoryMaxMb: 512 };

/** The statement timeout for reading traces. */
const longestReadMs = 15_000;

/**
 * Ingest receives spans over REST and OTLP, commits them before it answers, and serves them. It listens at once; until
 * PostgreSQL and the schema are ready every request gets 503. It does not need the bus: events wait in the outbox.
 */
export function createIngest(config: IngestConfig, dependencies: StoreServiceDependencies): Service {
  return createStoreService({
    name: "ingest",
    schema: ingestSchema,
    config,
    dependencies,
    open: (kit) => openIngest(kit, config),
  });
}

function openIngest(kit: StoreServiceKit, config: IngestConfig): HttpServer {
  const { logger, clock, metrics, migration } = kit;
  const { tracesPerDay, fieldCharsMax, retentionDays, otlpBodyMaxBytes, genAiOnly } = config;
  const tenants = createTenants();
  const { shares, tailing, ...pools } = openPools(kit, config, tenants);
  const { writing, reading, searching, maintenance, building } = pools;
  const bus = kit.connectBus();
  const partitions = createSpanPartitionStore(maintenance);
  const blocks = createSearchBlockStore({ maintenance, building });
  let relay: EventRelay | null = null;
  let upkeep: PartitionUpkeep | null = null;
  const wakeRelay = (): void => relay?.wake();
  kit.background([
    () => (upkeep = keepPartitions({ partitions, clock, logger })),
    () => startUpkeep(kit, config, { maintenance, bus, wakeRelay }),
    () => (relay = relayEvents({ maintenance, bus, events: outboxEvents, logger })),
    () => hearOthers(bus, maintenance),
    () => indexSearch({ blocks, maintenance, logger }),
  ]);

  const threads = kit.keep(createComputePool({ name: "ingest", logger, metrics, ...decodingThreads }));
  const quota: TraceQuota | null = tracesPerDay === null ? null : { tracesPerDay, spent: createSpentProjects() };
  const processNumber = randomInt(1 << 20);
  const assembleSpan = createSpanAssembler({ clock, fieldCharsMax });
  const traces = createPostgresTraceStore({ ...pools, partitions, blocks, processNumber, tracesPerDay, assembleSpan });
  const insert =
    quota === null ? traces.insertBatch : keepWithinQuota(traces, quota, createUsageStore(writing).readToday);
  const writes = createWriteWatch(maintenance);
  kit.watchOutbox(createKeptOutboxStore(maintenance, ingestSchema.schema));
  watchDatabase(maintenance, { clock, metrics });
  const ingestMetrics = createIngestMetrics(metrics, () => commits.depth(), config.queueRowsMax);
  const commits = kit.keep(
    createGroupCommit<SpanJob, StoredSpan[]>({
      write: writes.watch(insert),
      sizeOf: (job) => ({
        rows: job.rows.length + (job.fragments?.length ?? 0) + (job.updates?.length ?? 0),
        bytes: job.bytes,
        isBulk: job.isBulk === true,
      }),
      tenantOf: ({ projectId }) => tenants.tenantOf(projectId),
      batchRowsMax: config.batchRowsMax,
      rowsMax: config.queueRowsMax,
      bytesMax: limits.ingestQueueMaxBytes,
      sleep: (ms) => sleep(ms),
      onCommit(ms) {
        ingestMetrics.committed(ms);
        wakeRelay();
      },
    }),
  );
  const recording = { commits, clock, fieldCharsMax, metrics: ingestMetrics };
  const prices = createPriceStore(reading);
  const costs = createCostEstimator({ reading, prices });
  const liveTail = createLiveTail({
    store: createTailStore(tailing),
    traces: createRootReader(tailing),
    // Not over the shared connections: what one project reads must not delay the tail of the others.
    show: showTailItem(createCostEstimator({ reading: tailing, prices: createPriceStore(tailing) })),
    eventIds: createEventIds(config.rootSecret),
    ...{ clock, logger },
  });
  const server = kit.serve({
    routes: listRoutes({
      recorder: createSpanRecorder({ ...recording, tenants, quota, settlesChildren: config.monitorsChildSpans }),
      ...{ traces, liveTail, prices, costs, clock },
      ...openReadStores(reading, searching),
      addresses: createSignedAddresses(config.rootSecret),
      receiver: createContentReceiver(),
      requestCounts: createRequestCountStore({ reading, maintenance }),
      readStoredAmounts: createStoredAmountsReader(maintenance),
      ...{ tracesPerDay, retentionDays, otlpBodyMaxBytes, genAiOnly },
      imports: createImportWriter({ ...recording, findStored: createStoredSpanFinder(reading) }),
      decodeApart: createDecodeApart(threads),
      closing: createProjectClosing({ database: maintenance, schema: ingestSchema.schema, logger }),
      onceReady: kit.onceReady,
    }),
    drainMs: config.drainMs,
    bodiesMaxBytes: limits.ingestBodiesMaxBytes,
    tenants,
    shares: { ...commits.shares, ...shares },
    readiness: {
      needed: {
        schema: migration.state,
        partitions: () => upkeep?.state() ?? "not started",
        database: writing.check,
        writes: writes.state,
      },
      // Without the bus, events wait in the outbox: monitoring is delayed, ingest is not.
      shown: { bus: bus.status },
    },
  });
  // Before the server, which waits for its streams to end.
  kit.keep(liveTail);
  kit.defer(() => upkeep?.stop());
  return server;
}

/** Completes traces, and removes old or deleted data. All of it stops together. */
function startUpkeep(
  { logger, metrics }: StoreServiceKit,
  { tracesPerDay, retentionDays, monitorsChildSpans: settlesChildren }: IngestConfig,
  { maintenance, bus, wakeRelay }: { maintenance: Database; bus: Bus; wakeRelay: () => void },
) {
  const settling = { tracesPerDay, settings: assemblySettings, settlesChildren, onSwept: wakeRelay };
  return [
    retainSpans({ maintenance, retentionDays, logger, metrics }),
    sweepTraces({ maintenance, ...settling, logger }),
    sweepMedia({ maintenance, logger }),
    removeDeletedProjects({ maintenance, bus, logger, onConfirmed: wakeRelay }),
  ];
}

/** The stores that requests read besides traces. */
function openReadStores(reading: Database, searching: Database) {
  return {
    agents: createAgentStore(reading),
    sessions: createSessionStore(reading),
    scores: createScoreStore(reading),
    media: createMediaStore(reading),
    mediaExports: createMediaExportStore(reading),
    metricsStore: createMetricsStore(searching),
    agentTokens: createAgentTokenReader(searching),
    promptUses: createPromptUseReader(searching),
    usage: createUsageStore(reading),
    retention: createRetentionStore(reading),
    spanExports: createSpanExportStore(reading),
    agentExports: createAgentExportStore(reading),
  };
}

/** Consumes messages of other services. */
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
 * Connection pools of PostgreSQL, one for each kind of work: readers never take a writer's connection, and tenants
 * share those of readers. The live tail reads for all tenants and is not limited by a share.
 */
function openPools({ openPool, defer, logger }: StoreServiceKit, { databaseUrl }: IngestConfig, tenants: Tenants) {
  const applicationName = "touchstone ingest";
  const open = (connectionsMax: number, statementTimeoutMs: number) =>
    openPool({
      ...{ applicationName, role: "app", connectionsMax, statementTimeoutMs },
      openProjects: "ingest.open_projects",
      plansByKey: true,
    });
  const tailing = open(17, 10_000);
  const lists = shareDatabase(tailing, { name: "lists", readsMax: 8, writesMax: 2, tenants });
  // A search of unindexed text may read everything: few run at a time, each with a timeout.
  const searches = shareDatabase(open(6, longestReadMs), { name: "searches", readsMax: 4, writesMax: 1, tenants });
  const building = openDatabase({
    url: databaseUrl,
    role: rolesOf(ingestSchema.schema).maintenance,
    applicationName,
    connectionsMax: 2,
    // Indexes of the searched text take up to minutes.
    statementTimeoutMs: 15 * 60_000,
    logger,
  });
  // A build may run for minutes: it ends with the process, and leaves nothing that hinders the next one.
  defer(() => void building.close().catch(() => undefined));
  return {
    writing: open(writerCount, 5_000),
    reading: lists.database,
    tailing,
    searching: searches.database,
    shares: { ...lists.shares, ...searches.shares },
    maintenance: openPool({ applicationName, role: "maintenance", connectionsMax: 3, statementTimeoutMs: 30_000 }),
    building,
  };
}
