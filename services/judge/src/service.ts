import { createSecretKey, randomUUID } from "node:crypto";
import { availableParallelism } from "node:os";
import { deadlines, internalRoutes } from "@touchstone/contracts";
import { createOutboxStore } from "@touchstone/db";
import {
  createComputePool,
  createOutboundFetch,
  deriveKey,
  type HttpServer,
  type InternalClient,
  type Service,
} from "@touchstone/service-kit";
import { createStoreService, type StoreServiceDependencies, type StoreServiceKit } from "@touchstone/store-service";
import type { JudgeConfig } from "./config.ts";
import { createAskForJson } from "./prompting/ask-for-json.ts";
import { promptVersion } from "./prompting/templates.ts";
import type { ProviderConfig } from "./providers/choose-provider.ts";
import { createGuardedFetch } from "./providers/guarded-fetch.ts";
import { asCustom, createMetricsObserver } from "./providers/metrics-observer.ts";
import type { JudgeObserver } from "./providers/observer.ts";
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
import { judgeSchema, removeDeletedProjects } from "./schema.ts";
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

/** Concurrent results per member and provider call. Those beyond the calls have their similarity computed and wait. */
const resultsPerCall = 4;
const resultsMin = 32;
/** Concurrent requests about usage per member. */
const usageReadsMax = 8;
/** Concurrent reads of verdict records per member; each may be about 500 kB. */
const recordReadsMax = 8;
/**
 * The longest wait of the first results for the schema, so that they are recorded. Without PostgreSQL judging starts then.
 */
const schemaWaitMs = 3_000;

/**
 * Judge scores results: it answers `svc.judge.*` on the bus and is the only service that calls LLM providers. It has no public
 * routes; its HTTP side answers the platform's health checks. An unavailable provider or PostgreSQL does not make it unready:
 * results are then judged without being recorded, or skipped with a reason.
 */
export function createJudge(config: JudgeConfig, dependencies: StoreServiceDependencies): Service {
  return createStoreService({
    name: "judge",
    schema: judgeSchema,
    config,
    dependencies,
    open: (kit) => openJudge(kit, config),
  });
}

async function openJudge(kit: StoreServiceKit, config: JudgeConfig): Promise<HttpServer> {
  const { clock, logger, migration } = kit;
  const pool = { statementTimeoutMs: 2_000, plansByKey: true } as const;
  const app = kit.openPool({ ...pool, role: "app", connectionsMax: 8 });
  const maintenance = kit.openPool({ ...pool, role: "maintenance", connectionsMax: 4 });
  kit.watchOutbox(createOutboxStore(maintenance, judgeSchema.schema));
  const usageStore = createUsageStore(maintenance);
  // Usage counted by the last answers is written after the bus has drained.
  const usage = kit.keep(createUsageCounter({ usage: usageStore, logger }));
  const quota = createQuotaStore(maintenance);
  const { resolveModel, providerState, observer } = openProviders(kit, config, { usage, quota });
  // The health checks answer until the last result is judged.
  const server = kit.serve({
    routes: [],
    readiness: {
      needed: { bus: () => (bus.status() === "connected" ? "ok" : bus.status()) },
      // Reported, but not required: live judging continues without it.
      shown: { schema: migration.state, database: app.check, provider: providerState },
    },
  });
  const processes = { processesMax: Math.min(3, Math.max(2, availableParallelism())), logger };
  // Separate sandboxes: live traffic does not delay runs.
  const scripts = kit.keep(createSandbox({ ...handlerDefaults, ...processes }));
  const sandbox = kit.keep(createSandbox({ ...sandboxDefaults, ...processes }));
  const bus = kit.connectBus();
  kit.background([
    () => trimVerdictRecords({ maintenance, logger, keptDays: config.verdictRecordDays }),
    () => removeDeletedProjects({ maintenance, bus, logger }),
  ]);

  const askForJson = createAskForJson({ logger });
  const fenceSecret = createSecretKey(deriveKey(config.rootSecret, "judge prompt fence"));
  const verdicts = createVerdicts({ store: createVerdictStore(app), promptVersion, logger, observer });
  const judgeCase = createCaseJudge({ askForJson, verdicts, resolveModel, fenceSecret, clock, observer });
  const embed = createEmbedder(resolveModel);
  const results = Math.max(resultsMin, providersAsked(config) * config.calls.callsMax * resultsPerCall);
  // Every metric of every result in progress may wait: a refused one would be a null that is not reproducible.
  const threads = kit.keep(
    createComputePool({ name: "judge", logger, metrics: kit.metrics, threadsMax: 2, queueMax: 8 * results }),
  );
  const scoreSimilarity = createSimilarityScorer({
    embed,
    threads,
    onBug: (err, metric) => logger.error({ err, metric }, "a similarity metric failed"),
  });
  const scoring = { judgeCase, scoreSimilarity, scoreCode: createCodeScorer(sandbox), clock };
  const { callsPerDay } = config;
  const inHand = { concurrency: resultsMin };
  const reads = { concurrency: usageReadsMax };
  const readRecord = createVerdictRecordReader(app);

  await waitAtMost(schemaWaitMs, migration.done);
  await answerScoreResult(bus, scoring, { concurrency: results });
  await answerWriting(bus, { askForJson, resolveModel, fenceSecret, clock }, inHand);
  await answerRunScript(bus, { runHandler: createHandlerRunner(scripts), clock }, inHand);
  await answerCompareTexts(bus, { compare: createTextComparer({ embed, logger }), clock }, inHand);
  await answerReadUsage(bus, { usage: usageStore }, reads);
  await answerReadVerdictRecord(bus, { readRecord }, { concurrency: recordReadsMax });
  await answerReadDay(bus, { usage: usageStore, quota, callsPerDay }, reads);
  return server;
}

/** The LLM providers, whose calls count against the payer's quota. */
function openProviders(
  kit: StoreServiceKit,
  config: JudgeConfig,
  { usage, quota }: Pick<Parameters<typeof createJudgeBudget>[0], "usage" | "quota">,
) {
  const { clock, logger } = kit;
  const observer = createMetricsObserver(kit.metrics);
  const { callsPerDay, authAddresses } = config;
  const budget = createJudgeBudget({ callsPerDay, quota, usage, logger });
  const auth = authAddresses === null ? null : kit.connectTo({ audience: "auth", addresses: authAddresses });
  const { timeoutMs, retriesMax, callsMax: placesMax } = config.calls;
  // For endpoints that users configured; the operator's own are called directly.
  const outbound = kit.keep(
    createOutboundFetch({ allowsPrivateHosts: config.allowsPrivateHosts, totalMs: timeoutMs, idleMs: timeoutMs }),
  );
  const projectKeys = createProjectKeysReader({ ask: auth && askAuth(auth), clock, sleep: sleepInRealTime });
  const findPayer = createPayerFinder(projectKeys, callsPerDay);

  function openProvider(
    { baseUrl, apiKey, api }: Pick<ProviderConfig, "baseUrl" | "apiKey" | "api">,
    custom: { fetch?: typeof globalThis.fetch; observer?: JudgeObserver } = {},
  ): Provider {
    return createOpenAiProvider({
      baseUrl,
      apiKey: apiKey?.reveal() ?? null,
      firstApi: api,
      ...{ timeoutMs, retriesMax, placesMax, clock, observer, ...custom },
      sleep: sleepInRealTime,
      random: Math.random,
      async reserveCall(call) {
        await budget.reserve({ payer: await findPayer(call), projectId: call.group, signal: call.signal });
      },
    });
  }

  const { resolveModel, state: providerState } = createModelResolver({
    configs: config.providers,
    projectKeys,
    defaultModel: config.defaultModel,
    open: openProvider,
    openCustom: ({ baseUrl, apiKey }) =>
      openProvider(
        { baseUrl, apiKey, api: "chat" },
        { fetch: createGuardedFetch(outbound), observer: asCustom(observer) },
      ),
  });
  return { resolveModel, providerState, observer };
}

/**
 * The number of providers that may have concurrent calls: those usable from the environment, or all if keys are stored.
 */
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
