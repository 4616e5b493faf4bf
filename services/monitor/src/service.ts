import { availableParallelism } from "node:os";
import type { OutboxRelay } from "@touchstone/bus";
import { createKeptOutboxStore, createProjectClosing, type Database, shareDatabase } from "@touchstone/db";
import { createComputePool, createOutboundFetch, type Service } from "@touchstone/service-kit";
import {
  type Begin,
  createStoreService,
  databaseUnavailable,
  type StoreServiceDependencies,
  type StoreServiceKit,
} from "@touchstone/store-service";
import { evaluateRules } from "./alerts/evaluate-rules.ts";
import { trimChecks } from "./checks/check-store.ts";
import { startChecks } from "./checks/start-checks.ts";
import type { MonitorConfig } from "./config.ts";
import { createAskEvaluator } from "./custom-evaluators/ask-evaluator.ts";
import { externalLimits } from "./custom-evaluators/ask-external.ts";
import { createEvaluatorStore } from "./custom-evaluators/evaluator-store.ts";
import { createFeedbackStore } from "./feedback/feedback-store.ts";
import { answerReadMembers, answerScoreMembers } from "./group-members/bus.ts";
import { createIngestClient } from "./ingest-client.ts";
import { createLiveBudget } from "./judging/live-budget-store.ts";
import { assembleLiveChecks } from "./live-checks.ts";
import { answerKeepLiveScorers, consumeLiveScorersChanged, createKeepLiveScorers } from "./live-scorers/bus.ts";
import { createJudgeMeanwhile } from "./live-scorers/judge-meanwhile.ts";
import { createJudgementReader } from "./live-scorers/judgement-reader.ts";
import { createLiveScorerStore } from "./live-scorers/live-scorer-store.ts";
import { startSessionSweep } from "./live-scorers/session-sweep.ts";
import { relayEvents } from "./outbox.ts";
import { createPatternMatcher } from "./patterns/matching/pattern-matcher.ts";
import { createPatternStore } from "./patterns/pattern-store.ts";
import { createPlanAtOnce } from "./patterns/plan-at-once.ts";
import { monitorRoutes, openRequestStores } from "./routes.ts";
import { monitorSchema, removeDeletedProjects } from "./schema.ts";
import { createFindingStore } from "./signals/finding-store.ts";
import { createTopicReader } from "./topics/topic-reader.ts";
import { consumeTracesStored } from "./traces/bus.ts";
import { createSeenTraceStore, trimSeenTraces } from "./traces/trace-store.ts";
import { consumeEvaluationsReceived, consumeResultsRated } from "./verdicts/bus.ts";
import { exportVerdicts } from "./verdicts/otlp-export/export-verdicts.ts";
import { createVerdictExports } from "./verdicts/otlp-export/verdict-queue-store.ts";
import { consumeGateRecorded } from "./webhooks/announce-failed-gate.ts";
import { trimWebhookDeliveries } from "./webhooks/delivery-log-store.ts";
import { createDeliveryStore } from "./webhooks/delivery-store.ts";
import { countDeliveries, createDeliveryWorker } from "./webhooks/delivery-worker.ts";
import { createSendDelivery, sendBounds } from "./webhooks/send-delivery.ts";
import { createSigningKeys } from "./webhooks/sign-message.ts";

/** Connections to PostgreSQL, and the number of them that one project may use at a time; see {@link shareDatabase}. */
const connectionsMax = 20;
const projectMax = { readsMax: 8, writesMax: 4 };

/** Concurrent requests per replica, of each kind. The services that members call have separate limits. */
const memberRequestsMax = 64;
/** Threads for pattern searches: with two or more, one project never uses all of them. */
const threadsMax = Math.min(4, Math.max(2, availableParallelism()));
/** The queue for threads: all concurrent live checks, trials, and several sets of group members. */
const waitingForThreadsMax = 512;
/** Concurrent changes of live scorers per replica. */
const liveScorersMax = 8;

/** Monitor watches live traffic: its checks, their findings, and people's reactions to them. */
export function createMonitor(config: MonitorConfig, dependencies: StoreServiceDependencies): Service {
  return createStoreService({
    name: "monitor",
    schema: monitorSchema,
    config,
    dependencies,
    starting: databaseUnavailable,
    open(kit) {
      const parts = openParts(kit, config);
      kit.background(listBackground(kit, config, parts));
      const { database, forRequests, sharing, maintenance, bus, liveScorers, findings } = parts;
      const routes = monitorRoutes({
        ...parts,
        ...openRequestStores(forRequests, kit.clock, parts.ingest),
        feedback: createFeedbackStore(forRequests, findings),
        judgements: createJudgementReader({ database: forRequests, liveScorers }),
        clock: kit.clock,
        sweepsSessions: config.sweepsSessions,
        liveCallsPerDay: config.liveCallsPerDay,
        publicAddress: config.publicAddress,
        closing: createProjectClosing({ database: maintenance, schema: monitorSchema.schema, logger: kit.logger }),
      });
      return kit.serve({
        routes: routes.map(({ route, handle }) => ({ route, handle: kit.onceReady(handle) })),
        drainMs: config.drainMs,
        ...sharing,
        readiness: {
          needed: { schema: kit.migration.state, database: database.check },
          // Without the bus events wait in ingest's outbox: monitor is late, not broken.
          shown: { bus: bus.status },
        },
      });
    },
  });
}

type Parts = ReturnType<typeof openParts>;

/** The parts that requests and background work share. */
function openParts(kit: StoreServiceKit, config: MonitorConfig) {
  const { logger, metrics } = kit;
  const pool = { statementTimeoutMs: 10_000 };
  const database = kit.openPool({ ...pool, role: "app", connectionsMax, openProjects: "monitor.open_projects" });
  // Background work serves all projects in turn: one project's share must not delay it.
  const { database: forRequests, ...sharing } = shareDatabase(database, { name: "database", ...projectMax });
  const maintenance = kit.openPool({ ...pool, role: "maintenance", connectionsMax: 4 });
  kit.watchOutbox(createKeptOutboxStore(maintenance, monitorSchema.schema));
  const bus = kit.connectBus();
  const ingest = createIngestClient(kit.connectTo({ audience: "ingest", addresses: config.ingestAddresses }));
  const threads = createComputePool({ name: "monitor", logger, metrics, threadsMax, queueMax: waitingForThreadsMax });
  const matcher = createPatternMatcher(kit.keep(threads));
  const reach = { allowsPrivateHosts: config.allowsPrivateHosts };
  const outbound = kit.keep(createOutboundFetch({ ...reach, ...externalLimits }));
  const askEvaluator = createAskEvaluator({ bus, outbound, reach });
  const liveScorers = createLiveScorerStore(maintenance);
  // The checks begin with the background work; until then `wake` does nothing.
  const checks = { wake: (): void => {} };
  const onPlanned = (): void => checks.wake();
  const { sweepsSessions: runsByItself } = config;
  const sessionSweep = kit.keep(
    startSessionSweep({ database, maintenance, liveScorers, onPlanned, logger, runsByItself }),
  );
  return {
    ...{
      database,
      forRequests,
      sharing,
      maintenance,
      bus,
      ingest,
      matcher,
      askEvaluator,
      liveScorers,
      checks,
      onPlanned,
    },
    ...{ reach, sessionSweep },
    patterns: createPatternStore(database),
    evaluators: createEvaluatorStore(database),
    findings: createFindingStore(config),
    budget: createLiveBudget({ database, callsPerDay: config.liveCallsPerDay }),
    verdictExports: createVerdictExports({ isExporting: config.collector !== null }),
    ...openWebhooks(kit, config, { database, maintenance }),
  };
}

/** Webhooks: their requests and signatures, and the worker that sends due messages. */
function openWebhooks(
  { logger, metrics, keep }: StoreServiceKit,
  { allowsPrivateHosts, rootSecret, webhookSecret }: MonitorConfig,
  databases: { database: Database; maintenance: Database },
) {
  const reach = { allowsPrivateHosts };
  const keys = createSigningKeys({ rootSecret, channelSecret: webhookSecret?.reveal() ?? null });
  const fetch = keep(createOutboundFetch({ ...reach, ...sendBounds }));
  const deliveryWorker = createDeliveryWorker({
    store: createDeliveryStore(databases),
    send: createSendDelivery({ fetch, reach, keys }),
    logger,
    onEnded: countDeliveries(metrics),
  });
  return { reach, keys, deliveryWorker };
}

/** Background work, in starting order; it is stopped in the opposite order. */
function listBackground(kit: StoreServiceKit, config: MonitorConfig, parts: Parts): Begin[] {
  const { logger, metrics, clock } = kit;
  const { database, maintenance, bus, liveScorers, findings, verdictExports, checks, onPlanned } = parts;
  const { publicAddress, collector } = config;
  const judgeMeanwhile = createJudgeMeanwhile({ database, maintenance, liveScorers, onPlanned });
  const keep = createKeepLiveScorers({ liveScorers, judgeMeanwhile });
  const { patternsCheck, ...liveChecks } = assembleLiveChecks({
    ...parts,
    ...{ logger, metrics },
    topics: createTopicReader(database),
    watchesOtlp: config.watchesOtlp,
  });
  const planAtOnce = createPlanAtOnce({ database, check: patternsCheck, onPlanned });
  const members = { ...parts, logger, clock };
  const answered = { concurrency: memberRequestsMax };
  let relay: OutboxRelay | null = null;
  return [
    () => parts.deliveryWorker.start(),
    () => (relay = relayEvents({ maintenance, bus, logger })),
    () => removeDeletedProjects({ maintenance, bus, onConfirmed: () => relay?.wake(), logger }),
    () => answerKeepLiveScorers(bus, { keep }, { concurrency: liveScorersMax }),
    () => consumeLiveScorersChanged(bus, { keep }),
    () => consumeEvaluationsReceived(bus, { database }),
    () => consumeResultsRated(bus, { database, verdictExports }),
    () => consumeGateRecorded(bus, { database, publicAddress }),
    () => trimSeenTraces({ maintenance, logger }),
    () => trimChecks({ maintenance, logger }),
    () => trimWebhookDeliveries({ maintenance, logger }),
    () => exportVerdicts(collector, { maintenance, logger, metrics, clock }),
    () => evaluateRules({ database, maintenance, findings, bus, logger }),
    () => {
      const running = startChecks(liveChecks);
      checks.wake = running.wake;
      return running;
    },
    () => consumeTracesStored(bus, { seenTraces: createSeenTraceStore(maintenance), planAtOnce }),
    () => answerScoreMembers(bus, members, answered),
    () => answerReadMembers(bus, members, answered),
  ];
}
