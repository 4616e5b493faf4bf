import { type Bus, connectBus } from "@touchstone/bus";
import {
  type Clock,
  createHttpServer,
  deriveKey,
  type Logger,
  type Metrics,
  type Readiness,
  type Service,
} from "@touchstone/service-kit";
import type { JudgeConfig } from "./config.ts";
import { answerScoreResult } from "./handlers/score-result.ts";
import { createMetricsObserver } from "./metrics-observer.ts";
import type { JudgeObserver } from "./observer.ts";
import { createOpenAiProvider } from "./providers/openai-provider.ts";
import type { Provider } from "./providers/provider.ts";
import { sleepInRealTime } from "./scheduling/sleep.ts";
import { createSimilarityScorer } from "./scorers/similarity/score-similarity.ts";
import { createEmbedder } from "./scorers/similarity/vector/embed-pair.ts";
import { createCaseJudge } from "./verdict/judge-case.ts";

export interface JudgeDependencies {
  logger: Logger;
  clock: Clock;
  metrics: Metrics;
}

/** Results in hand per member and call to the provider. Those beyond the calls have their similarity computed and wait. */
const resultsPerCall = 4;
const resultsMin = 32;

/**
 * Judge scores results: it answers `svc.judge.*` on the bus and is the only service that talks to LLM providers. It
 * keeps no state and serves no public route; its HTTP side answers the platform's health checks. A provider that is
 * down does not make it unready: results are then skipped with a reason, which is an answer.
 */
export function createJudge(config: JudgeConfig, { logger, clock, metrics }: JudgeDependencies): Service {
  const observer = createMetricsObserver(metrics);
  const provider = config.provider === null ? null : createProvider(config.provider, clock, observer);
  const judgeCase = createCaseJudge({
    provider,
    defaultModel: config.defaultModel,
    fenceSecret: deriveKey(config.rootSecret, "judge prompt fence"),
    clock,
    logger,
    observer,
  });
  const scoreSimilarity = createSimilarityScorer({
    embed: createEmbedder(provider),
    onBug: (err, metric) => logger.error({ err, metric }, "a similarity metric failed"),
  });
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

  async function readiness(): Promise<Readiness> {
    const checks = {
      bus: bus === null ? "not started" : bus.status() === "connected" ? "ok" : bus.status(),
      provider: describeProvider(provider),
    };
    return { ready: checks.bus === "ok", checks };
  }

  return {
    name: "judge",
    async start() {
      bus = connectBus({
        url: config.nats.url,
        user: config.nats.user,
        password: config.nats.password?.reveal(),
        service: "judge",
        logger,
      });
      const concurrency = Math.max(resultsMin, (config.provider?.callsMax ?? 0) * resultsPerCall);
      await answerScoreResult(bus, { judgeCase, scoreSimilarity, clock }, { concurrency });
      return { address: await http.listen(config.listen) };
    },
    async stop() {
      await bus?.drain();
      await http.stop();
    },
    readiness,
  };
}

function createProvider(config: NonNullable<JudgeConfig["provider"]>, clock: Clock, observer: JudgeObserver): Provider {
  return createOpenAiProvider({
    baseUrl: config.baseUrl,
    apiKey: config.apiKey?.reveal() ?? null,
    firstApi: config.firstApi,
    timeoutMs: config.timeoutMs,
    retriesMax: config.retriesMax,
    placesMax: config.callsMax,
    clock,
    sleep: sleepInRealTime,
    random: Math.random,
    observer,
  });
}

function describeProvider(provider: Provider | null): string {
  if (provider === null) return "no key";
  return provider.circuit() === "closed" ? "ok" : "failing";
}
