import { availableParallelism } from "node:os";
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
  createComputePool,
  createHttpServer,
  createInternalClient,
  createOutboundFetch,
  type Handler,
  type InternalClient,
  type LocalCalls,
  type Logger,
  type Metrics,
  type Readiness,
  type Service,
} from "@touchstone/service-kit";
import { evaluateRules } from "./alerts/evaluate-rules.ts";
import { startChecks } from "./checks/start-checks.ts";
import { trimChecks } from "./checks/trim-checks.ts";
import type { MonitorConfig } from "./config.ts";
import { type AskEvaluator, createAskEvaluator } from "./custom-evaluators/ask-evaluator.ts";
import { externalLimits } from "./custom-evaluators/ask-external.ts";
import { createEvaluatorStore } from "./custom-evaluators/evaluator-store.ts";
import { createFeedbackStore } from "./feedback/feedback-store.ts";
import { answerReadMembers, answerScoreMembers } from "./group-members/bus.ts";
import { createIngestClient } from "./ingest-client.ts";
import { createLiveBudget } from "./judging/live-budget.ts";
import { assembleLiveChecks } from "./live-checks.ts";
import { answerKeepLiveScorers, consumeLiveScorersChanged, createKeepLiveScorers } from "./live-scorers/bus.ts";
import { createJudgeMeanwhile } from "./live-scorers/judge-meanwhile.ts";
import { createJudgementReader } from "./live-scorers/judgement-reader.ts";
import { createLiveScorerStore, type LiveScorerStore } from "./live-scorers/live-scorer-store.ts";
import { startSessionSweep } from "./live-scorers/session-sweep.ts";
import type { FindingStore } from "./model/finding.ts";
import { relayEvents } from "./outbox.ts";
import { createPatternMatcher, type PatternMatcher } from "./patterns/matching/pattern-matcher.ts";
import { createPatternStore } from "./patterns/pattern-store.ts";
import { createPlanAtOnce } from "./patterns/plan-at-once.ts";
import { monitorRoutes, openRequestStores } from "./routes.ts";
import { migrations, removeDeletedProjects, schema } from "./schema.ts";
import { createFindingStore } from "./signals/finding-store.ts";
import { createTopicReader } from "./topics/topic-reader.ts";
import { consumeTracesStored } from "./traces/bus.ts";
import { createSeenTraceStore } from "./traces/trace-store.ts";
import { trimSeenTraces } from "./traces/trim-seen-traces.ts";
import { consumeEvaluationsReceived, consumeResultsRated } from "./verdicts/bus.ts";
import { exportVerdicts } from "./verdicts/otlp-export/export-verdicts.ts";
import { createVerdictExports, type VerdictExports } from "./verdicts/otlp-export/verdict-exports.ts";
import { consumeGateRecorded } from "./webhooks/announce-failed-gate.ts";
import { createDeliveryStore } from "./webhooks/delivery-store.ts";
import { countDeliveries, createDeliveryWorker } from "./webhooks/delivery-worker.ts";
import type { WebhookRouteDependencies } from "./webhooks/routes.ts";
import { createSendDelivery, sendBounds } from "./webhooks/send-delivery.ts";
import { createSigningKeys } from "./webhooks/sign-message.ts";
import { trimWebhookDeliveries } from "./webhooks/trim-webhook-deliveries.ts";

/** Connections to PostgreSQL, and of these what one project may use at a time; see {@link shareDatabase}. */
const connectionsMax = 20;
const projectMax = { readsMax: 8, writesMax: 4 };

/** Requests of one replica in hand at a time, of each kind. What a member asks has limits of its own. */
const memberRequestsMax = 64;
/** Threads that look for patterns: of two or more one project never has all. */
const threadsMax = Math.min(4, Math.max(2, availableParallelism()));
/** What may wait for them: all live checks in hand, trials, and members of groups several times over. */
const waitingForThreadsMax = 512;
/** Changes of live scorers of one replica in hand at a time. */
const liveScorersMax = 8;

export interface MonitorDependencies {
  logger: Logger;
  clock: Clock;
  metrics: Metrics;
  /** Where an ingest in the same process is found without a socket. */
  localCalls?: LocalCalls | undefined;
}

/** Monitor watches live traffic: what is checked of it, what was found, and what people do about it. */
export function createMonitor(config: MonitorConfig, dependencies: MonitorDependencies): Service {
  const { logger, clock, metrics, localCalls } = dependencies;
  const cleanups = new AsyncDisposableStack();
  let parts: { database: Database; bus: Bus; preparation: SchemaPreparation } | null = null;

  async function start(): Promise<{ address: string }> {
    const database = open("app", connectionsMax);
    // Background work serves all projects in turn: one project's share must not delay it.
    const { database: forRequests, ...sharing } = shareDatabase(database, { name: "database", ...projectMax });
    const maintenance = open("maintenance", 4);
    const bus = connectBus({
      url: config.nats.url,
      user: config.nats.user,
      password: config.nats.password?.reveal(),
      service: "monitor",
      logger,
      onDeadLetter: countDeadLetters({ service: "monitor", metrics }),
    });
    cleanups.defer(() => bus.drain());
    const preparation = prepareSchema({
      url: config.databaseUrl,
      schema,
      directory: migrations,
      logger,
    });
    cleanups.defer(() => preparation.stop());
    parts = { database, bus, preparation };
    const ingest = createIngestClient(connectIngest());
    const patterns = createPatternStore(database);
    const matcher = openMatcher();

    const seenTraces = createSeenTraceStore(maintenance);
    const liveScorers = createLiveScorerStore(maintenance);
    const findings = createFindingStore(config);
    const budget = createLiveBudget({ database, callsPerDay: config.liveCallsPerDay });
    const evaluators = createEvaluatorStore(database);
    const askEvaluator = connectEvaluators(bus);
    const topics = createTopicReader(database);
    const verdictExports = createVerdictExports({ isExporting: config.collector !== null });
    const { patternsCheck, ...liveChecks } = assembleLiveChecks({
      ...{ database, maintenance, bus, logger, metrics },
      ...{ ingest, patterns, matcher, liveScorers, findings, budget, evaluators, askEvaluator, topics },
      watchesOtlp: config.watchesOtlp,
      verdictExports,
    });
    let wakeChecks = (): void => {};
    const sessionSweep = startSessionSweep({
      database,
      maintenance,
      liveScorers,
      onPlanned: () => wakeChecks(),
      logger,
      runsByItself: config.sweepsSessions,
    });
    cleanups.defer(() => sessionSweep.stop());
    const notifications = startNotifications({ database, maintenance, preparation });
    const upkeep = { database, maintenance, bus, liveScorers, findings, verdictExports };
    const background = [
      ...listUpkeep({ ...upkeep, onPlanned: () => wakeChecks() }).map((begin) => startOnceMigrated(preparation, begin)),
      startOnceMigrated(preparation, () => {
        const running = startChecks(liveChecks);
        const planAtOnce = createPlanAtOnce({ database, check: patternsCheck, onPlanned: running.wake });
        wakeChecks = running.wake;
        return stopsBoth(stopsWhenConsumed(consumeTracesStored(bus, { seenTraces, planAtOnce })), running);
      }),
    ];
    const members = { patterns, matcher, evaluators, ingest, askEvaluator, bus, logger, clock };
    background.push(startOnceMigrated(preparation, () => answerForMembers(members)));
    for (const each of background) cleanups.defer(() => each.stop());

    const routes = monitorRoutes({
      ...openRequestStores(forRequests, clock),
      feedback: createFeedbackStore(forRequests, findings),
      judgements: createJudgementReader({ database: forRequests, liveScorers }),
      clock,
      ingest,
      ...{ matcher, bus },
      sessionSweep,
      sweepsSessions: config.sweepsSessions,
      budget,
      liveCallsPerDay: config.liveCallsPerDay,
      publicAddress: config.publicAddress,
      ...notifications,
      askEvaluator,
      closing: createProjectClosing({ database: maintenance, schema, logger }),
    });
    const http = createHttpServer({
      service: "monitor",
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

  /** What is done beside answering and checking: telling others, hearing them, and letting go of what is old. */
  function listUpkeep(parts: {
    database: Database;
    maintenance: Database;
    bus: Bus;
    liveScorers: LiveScorerStore;
    onPlanned: () => void;
    findings: FindingStore;
    verdictExports: VerdictExports;
  }): (() => { stop(): Promise<void> })[] {
    const { database, maintenance, bus, liveScorers, onPlanned, findings, verdictExports } = parts;
    const judgeMeanwhile = createJudgeMeanwhile({ database, maintenance, liveScorers, onPlanned });
    const keep = createKeepLiveScorers({ liveScorers, judgeMeanwhile });
    const { publicAddress, collector } = config;
    return [
      () => {
        const relay = relayEvents({ maintenance, bus, logger });
        return stopsBoth(removeDeletedProjects({ maintenance, bus, onConfirmed: () => relay.wake(), logger }), relay);
      },
      () =>
        stopsBoth(
          stopsWhenConsumed(consumeLiveScorersChanged(bus, { keep })),
          stopsWhenConsumed(answerKeepLiveScorers(bus, { keep }, { concurrency: liveScorersMax })),
        ),
      () => stopsWhenConsumed(consumeEvaluationsReceived(bus, { database })),
      () => stopsWhenConsumed(consumeResultsRated(bus, { database, verdictExports })),
      () => stopsWhenConsumed(consumeGateRecorded(bus, { database, publicAddress })),
      () => trimSeenTraces({ maintenance, logger }),
      () => trimChecks({ maintenance, logger }),
      () => trimWebhookDeliveries({ maintenance, logger }),
      () => exportVerdicts(collector, { maintenance, logger, metrics, clock }),
      () => evaluateRules({ database, maintenance, findings, logger }),
    ];
  }

  /** Webhooks: how they are called and signed, and the worker that sends what is due. */
  function startNotifications({
    database,
    maintenance,
    preparation,
  }: {
    database: Database;
    maintenance: Database;
    preparation: SchemaPreparation;
  }): Pick<WebhookRouteDependencies, "keys" | "reach" | "deliveryWorker"> {
    const reach = { allowsPrivateHosts: config.allowsPrivateHosts };
    const keys = createSigningKeys({
      rootSecret: config.rootSecret,
      channelSecret: config.webhookSecret?.reveal() ?? null,
    });
    const fetch = createOutboundFetch({ ...reach, ...sendBounds });
    cleanups.defer(() => fetch.close());
    const deliveryWorker = createDeliveryWorker({
      store: createDeliveryStore({ database, maintenance }),
      send: createSendDelivery({ fetch, reach, keys }),
      logger,
      onEnded: countDeliveries(metrics),
    });
    const background = startOnceMigrated(preparation, () => deliveryWorker.start());
    cleanups.defer(() => background.stop());
    return { keys, reach, deliveryWorker };
  }

  /** Threads that look for patterns. */
  function openMatcher(): PatternMatcher {
    const pool = createComputePool({ name: "monitor", logger, metrics, threadsMax, queueMax: waitingForThreadsMax });
    cleanups.defer(() => pool.stop());
    return createPatternMatcher(pool);
  }

  /** Custom scorers: how they are asked. */
  function connectEvaluators(bus: Bus): AskEvaluator {
    const outbound = createOutboundFetch({ allowsPrivateHosts: config.allowsPrivateHosts, ...externalLimits });
    cleanups.defer(() => outbound.close());
    return createAskEvaluator({ bus, outbound });
  }

  function open(purpose: "app" | "maintenance", connectionsMax: number): Database {
    const database = openDatabase({
      url: config.databaseUrl,
      role: rolesOf(schema)[purpose],
      applicationName: `touchstone monitor ${purpose}`,
      connectionsMax,
      statementTimeoutMs: 10_000,
      openProjects: purpose === "app" ? "monitor.open_projects" : undefined,
      logger,
    });
    cleanups.defer(() => database.close());
    return database;
  }

  function connectIngest(): InternalClient {
    const client = createInternalClient({
      issuer: "monitor",
      audience: "ingest",
      addresses: config.ingestAddresses,
      rootSecret: config.rootSecret,
      clock,
      localCalls,
    });
    cleanups.defer(() => client.close());
    return client;
  }

  async function readiness(): Promise<Readiness> {
    if (parts === null) return { ready: false, checks: { schema: "not started" } };
    const checks = {
      schema: parts.preparation.state(),
      database: await parts.database.check(),
      // Without the bus events wait in ingest's outbox: monitor is late, not broken.
      bus: parts.bus.status(),
    };
    return { ready: checks.schema === "ok" && checks.database === "ok", checks };
  }

  return { name: "monitor", start, stop: () => cleanups.disposeAsync(), readiness };
}

/** Answers about members of scorer groups, for runs. */
function answerForMembers(parts: Parameters<typeof answerReadMembers>[1] & Parameters<typeof answerScoreMembers>[1]): {
  stop(): Promise<void>;
} {
  const answered = { concurrency: memberRequestsMax };
  return stopsBoth(
    stopsWhenConsumed(answerReadMembers(parts.bus, parts, answered)),
    stopsWhenConsumed(answerScoreMembers(parts.bus, parts, answered)),
  );
}

/** What is being set up to consume, as something to be stopped. */
function stopsWhenConsumed(consuming: Promise<{ stop(): Promise<void> }>): { stop(): Promise<void> } {
  return { stop: async () => (await consuming).stop() };
}

/** Stops the first, then the second. */
function stopsBoth(first: { stop(): Promise<void> }, second: { stop(): Promise<void> }): { stop(): Promise<void> } {
  return {
    async stop() {
      await first.stop();
      await second.stop();
    },
  };
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
