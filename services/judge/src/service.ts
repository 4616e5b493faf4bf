import { createSecretKey, randomUUID } from "node:crypto";
import { availableParallelism } from "node:os";
import { type Bus, connectBus } from "@touchstone/bus";
import { deadlines, internalRoutes } from "@touchstone/contracts";
import { type Database, openDatabase, prepareSchema, rolesOf, type SchemaPreparation } from "@touchstone/db";
import {
  type Clock,
  countDeadLetters,
  createHttpServer,
  createInternalClient,
  createOutboundFetch,
  deriveKey,
  type InternalClient,
  type Logger,
  type Metrics,
  type Readiness,
  type Service,
} from "@touchstone/service-kit";
import type { RegularSweep } from "@touchstone/store-service";
import type { JudgeConfig } from "./config.ts";
import { createAskForJson } from "./prompting/ask-for-json.ts";
import { promptVersion } from "./prompting/templates.ts";
import type { ProviderConfig } from "./providers/choose-provider.ts";
import { createGuardedFetch } from "./providers/guarded-fetch.ts";
import { createMetricsObserver } from "./providers/metrics-observer.ts";
import { createOpenAiProvider } from "./providers/openai-provider.ts";
import { type AnsweredKeys, createProjectKeysReader } from "./providers/project-keys.ts";
import type { Provider } from "./providers/provider.ts";
import { createModelResolver } from "./providers/resolve-model.ts";
import { answerReadDay, answerReadUsage } from "./quota/bus.ts";
import { createPayerFinder } from "./quota/find-payer.ts";
import { createJudgeBudget } from "./quota/judge-budget.ts";
import { createQuotaStore } from "./quota/quota-store.ts";
import { createUsageCounter } from "./quota/usage-counter.ts";
import { createUsageStore } from "./quota/usage-store.ts";
import { sleepInRealTime } from "./scheduling/sleep.ts";
import { migrations, removeDeletedProjects, schema } from "./schema.ts";
import { answerCompareTexts, answerRunScript } from "./scorers/bus.ts";
import { createHandlerRunner, handlerDefaults } from "./scorers/code/run-handler.ts";
import { createSandbox, sandboxDefaults } from "./scorers/code/sandbox.ts";
import { createCodeScorer } from "./scorers/code/score-code.ts";
import { createSimilarityScorer } from "./scorers/similarity/score-similarity.ts";
import { createTextComparer } from "./scorers/similarity/vector/compare-texts.ts";
import { createEmbedder } from "./scorers/similarity/vector/embed-texts.ts";
import { answerScoreResult } from "./scoring/score-result.ts";
import { answerReadVerdictRecord } from "./verdicts/bus.ts";
import { createCaseJudge } from "./verdicts/judge-case.ts";
import { createVerdictRecordReader, createVerdictStore, trimVerdictRecords } from "./verdicts/verdict-store.ts";
import { createVerdicts } from "./verdicts/verdicts.ts";
import { answerWriting } from "./writing/bus.ts";

export interface JudgeDependencies {
  logger: Logger;
  clock: Clock;
  metrics: Metrics;
}

/** Results in hand per member and call to the provider. Those beyond the calls have their similarity computed and wait. */
const resultsPerCall = 4;
const resultsMin = 32;
/** Questions about usage in hand per member. */
const usageReadsMax = 8;
/** Records of verdicts that are read at once per member; each may be some 500 kB. */
const recordReadsMax = 8;
/** How long the first results wait for the schema, so that they are recorded. Without PostgreSQL judging starts then. */
const schemaWaitMs = 3_000;

/**
 * Judge scores results: it answers `svc.judge.*` on the bus and is the only service that talks to LLM providers. It
 * serves no public route; its HTTP side answers the platform's health checks. A provider or a PostgreSQL that is down
 * does not make it unready: results are then judged without being recorded, or skipped with a reason, which is an answer.
 */
export function createJudge(config: JudgeConfig, { logger, clock, metrics }: JudgeDependencies): Service {
  const observer = createMetricsObserver(metrics);
  const app = open("app", 8);
  const maintenance = open("maintenance", 4);
  const usageStore = createUsageStore(maintenance);
  const usage = createUsageCounter({ usage: usageStore, logger });
  const quota = createQuotaStore(maintenance);
  const budget = createJudgeBudget({
    callsPerDay: config.callsPerDay,
    quota,
    usage,
    logger,
  });
  const auth = config.authAddresses === null ? null : openAuth(config.authAddresses);
  const { timeoutMs } = config.calls;
  // For endpoints that users named; the operator's own are asked as they are.
  const outbound = createOutboundFetch({
    allowsPrivateHosts: config.allowsPrivateHosts,
    totalMs: timeoutMs,
    idleMs: timeoutMs,
  });
  const projectKeys = createProjectKeysReader({ ask: auth && askAuth(auth), clock, sleep: sleepInRealTime });
  const findPayer = createPayerFinder(projectKeys, config.callsPerDay);
  const { resolveModel, state: providerState } = createModelResolver({
    configs: config.providers,
    projectKeys,
    defaultModel: config.defaultModel,
    open: openProvider,
    openCustom: ({ baseUrl, apiKey }) => openProvider({ baseUrl, apiKey, api: "chat" }, createGuardedFetch(outbound)),
  });
  const askForJson = createAskForJson({ logger });
  const fenceSecret = createSecretKey(deriveKey(config.rootSecret, "judge prompt fence"));
  const judgeCase = createCaseJudge({
    askForJson,
    verdicts: createVerdicts({
      store: createVerdictStore(app),
      promptVersion,
      logger,
      observer,
    }),
    resolveModel,
    fenceSecret,
    clock,
    observer,
  });
  const embed = createEmbedder(resolveModel);
  const scoreSimilarity = createSimilarityScorer({
    embed,
    onBug: (err, metric) => logger.error({ err, metric }, "a similarity metric failed"),
  });
  const writing = { askForJson, resolveModel, fenceSecret, clock };
  const compare = createTextComparer({ embed, logger });
  const sandbox = createSandbox({ ...sandboxDefaults, processesMax: Math.min(2, availableParallelism()), logger });
  const scoreCode = createCodeScorer(sandbox);
  // Of their own: live traffic holds up no run.
  const scripts = createSandbox({ ...handlerDefaults, processesMax: Math.min(2, availableParallelism()), logger });
  const runHandler = createHandlerRunner(scripts);
  const http = createHttpServer({
    service: "judge",
    routes: [],
    rootSecret: config.rootSecret,
    clock,
    logger,
    metrics,
    readiness,
  });
  let bus: Bus | null = null;
  let preparation: SchemaPreparation | null = null;
  let deletions: Promise<{ stop(): Promise<void> }> | null = null;
  let trimming: RegularSweep | null = null;
  let stopped = false;

  function open(purpose: "app" | "maintenance", connectionsMax: number): Database {
    return openDatabase({
      url: config.databaseUrl,
      role: rolesOf(schema)[purpose],
      applicationName: `touchstone judge ${purpose}`,
      connectionsMax,
      statementTimeoutMs: 2_000,
      plansByKey: true,
      logger,
    });
  }

  function openProvider(
    { baseUrl, apiKey, api }: Pick<ProviderConfig, "baseUrl" | "apiKey" | "api">,
    fetch?: typeof globalThis.fetch,
  ): Provider {
    return createOpenAiProvider({
      ...(fetch && { fetch }),
      baseUrl,
      apiKey: apiKey?.reveal() ?? null,
      firstApi: api,
      timeoutMs: config.calls.timeoutMs,
      retriesMax: config.calls.retriesMax,
      placesMax: config.calls.callsMax,
      clock,
      sleep: sleepInRealTime,
      random: Math.random,
      observer,
      async reserveCall(call) {
        await budget.reserve({ payer: await findPayer(call), projectId: call.group, signal: call.signal });
      },
    });
  }

  function openAuth(addresses: readonly string[]): InternalClient {
    return createInternalClient({ issuer: "judge", audience: "auth", addresses, rootSecret: config.rootSecret, clock });
  }

  async function readiness(): Promise<Readiness> {
    const checks = {
      bus: bus === null ? "not started" : bus.status() === "connected" ? "ok" : bus.status(),
      // Told, not required: live judging goes on without it.
      schema: preparation?.state() ?? "not started",
      database: await app.check(),
      provider: providerState(),
    };
    return { ready: checks.bus === "ok", checks };
  }

  return {
    name: "judge",
    async start() {
      const connected = connectBus({
        url: config.nats.url,
        user: config.nats.user,
        password: config.nats.password?.reveal(),
        service: "judge",
        logger,
        onDeadLetter: countDeadLetters({ service: "judge", metrics }),
      });
      bus = connected;
      preparation = prepareSchema({
        url: config.databaseUrl,
        schema,
        directory: migrations,
        logger,
      });
      void preparation.done.then(() => {
        if (stopped) return;
        deletions = removeDeletedProjects({ maintenance, bus: connected, logger });
        trimming = trimVerdictRecords({ maintenance, logger, keptDays: config.verdictRecordDays });
      });
      await waitAtMost(schemaWaitMs, preparation.done);
      const concurrency = Math.max(resultsMin, providersAsked(config) * config.calls.callsMax * resultsPerCall);
      await answerScoreResult(bus, { judgeCase, scoreSimilarity, scoreCode, clock }, { concurrency });
      await answerWriting(bus, writing, { concurrency: resultsMin });
      await answerRunScript(bus, { runHandler, clock }, { concurrency: resultsMin });
      await answerCompareTexts(bus, { compare, clock }, { concurrency: resultsMin });
      await answerReadUsage(bus, { usage: usageStore }, { concurrency: usageReadsMax });
      await answerReadVerdictRecord(
        bus,
        { readRecord: createVerdictRecordReader(app) },
        { concurrency: recordReadsMax },
      );
      await answerReadDay(
        bus,
        { usage: usageStore, quota, callsPerDay: config.callsPerDay },
        { concurrency: usageReadsMax },
      );
      return { address: await http.listen(config.listen) };
    },
    async stop() {
      stopped = true;
      preparation?.stop();
      await (await deletions)?.stop();
      await trimming?.stop();
      await bus?.drain();
      sandbox.stop();
      scripts.stop();
      await http.stop();
      await usage.stop();
      await Promise.all([app.close(), maintenance.close(), auth?.close(), outbound.close()]);
    },
    readiness,
  };
}

/** At how many providers calls may be under way: those that the environment makes usable, or any where keys are stored. */
function providersAsked({ authAddresses, providers }: JudgeConfig): number {
  return Object.values(providers).filter(({ isUsable }) => isUsable || authAddresses !== null).length;
}

function askAuth(auth: InternalClient): (projectId: string) => Promise<AnsweredKeys> {
  return (projectId) => {
    const options = { requestId: randomUUID(), deadlineMs: deadlines.keyLookupMs };
    return auth.call(internalRoutes.readProviderKeys, { projectId }, options);
  };
}

async function waitAtMost(ms: number, done: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([
    done,
    new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms);
    }),
  ]);
  clearTimeout(timer);
}
