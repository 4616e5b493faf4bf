import { type Bus, connectBus } from "@touchstone/bus";
import {
  type scoreResult as Contract,
  readVerdictRecord,
  scoreResult,
  type VerdictRecord,
} from "@touchstone/contracts";
import { createMetrics, type Metrics, type Service, systemClock } from "@touchstone/service-kit";
import {
  createTestDatabase,
  type ScriptedLlm,
  startScriptedLlm,
  startTestNats,
  type TestDatabase,
  type TestNats,
} from "@touchstone/testkit";
import { expect, vi } from "vitest";
import type { z } from "zod";
import { createJudge, readJudgeConfig } from "../src/index.ts";
import { buildCase, buildRubric } from "./judge-builders.ts";
import { createTestLogger } from "./providers/judge-setup.ts";

export type ScoreBody = z.input<typeof Contract.body>;
export type ScoreReply = z.output<typeof Contract.reply>;

export const benchKey = "sk-canary-0123456789abcdef";
export const benchRootSecret = "the root secret of this test installation";
export const benchProject = "01999999-0000-7000-8000-000000000001";

export interface RunningJudge {
  service: Service;
  metrics: Metrics;
  log(): string;
}

/** A bus, a scripted provider, a database, a caller, and as many judges as a test starts. */
export interface JudgeBench {
  nats: TestNats;
  llm: ScriptedLlm;
  database: TestDatabase;
  asker: Bus;
  /** A judge as it runs in production. Settings with an empty value are unset. */
  startJudge(environment?: Record<string, string>): Promise<RunningJudge>;
  /** Asks for one result: one primary judge, all metrics, a case with everything that these need. */
  ask(body?: Partial<ScoreBody>, timeoutMs?: number): Promise<ScoreReply>;
  /** The record behind a verdict, as the gateway receives it. */
  readRecord(verdictId: string, projectId?: string): Promise<VerdictRecord | null>;
  stopJudges(): Promise<void>;
  /** Stops the judges and resets the provider. */
  clear(): Promise<void>;
  stop(): Promise<void>;
}

export async function openJudgeBench(): Promise<JudgeBench> {
  const [nats, llm, database] = await Promise.all([startTestNats(), startScriptedLlm(), createTestDatabase()]);
  const asker = connectBus({ url: nats.url, service: "eval-runs", logger: createTestLogger().logger });
  await vi.waitFor(() => expect(asker.status()).toBe("connected"));
  const gateway = connectBus({ url: nats.url, service: "gateway", logger: createTestLogger().logger });
  await vi.waitFor(() => expect(gateway.status()).toBe("connected"));
  const started: Service[] = [];

  const stopJudges = async (): Promise<void> => {
    await Promise.all(started.splice(0).map((service) => service.stop()));
  };
  const clear = async (): Promise<void> => {
    await stopJudges();
    llm.reset();
  };

  return {
    nats,
    llm,
    database,
    asker,
    async startJudge(environment = {}) {
      const { config } = readJudgeConfig({
        PORT: "0",
        SERVICE_DB_URL: database.url,
        SERVICE_NATS_URL: nats.url,
        SERVICE_INTERNAL_SECRET: benchRootSecret,
        OPENAI_API_KEY: benchKey,
        OPENAI_BASE_URL: llm.baseUrl,
        ...environment,
      });
      const { logger, log } = createTestLogger();
      const metrics = createMetrics();
      const service = createJudge(config, { logger, clock: systemClock, metrics });
      started.push(service);
      await service.start();
      await expect.poll(async () => (await service.readiness()).ready).toBe(true);
      return { metrics, log, service };
    },
    ask(body = {}, timeoutMs = 30_000) {
      const whole: ScoreBody = {
        projectId: benchProject,
        judges: [buildRubric()],
        case: buildCase(),
        similarity: { jaccard: true, bleu: true, rouge: true, vector: { model: null } },
        ...body,
      };
      return asker.request(scoreResult, whole, { timeoutMs });
    },
    async readRecord(verdictId, projectId = benchProject) {
      const { verdict } = await gateway.request(readVerdictRecord, { projectId, verdictId }, { timeoutMs: 15_000 });
      return verdict;
    },
    stopJudges,
    clear,
    async stop() {
      await clear();
      await Promise.all([asker.drain(), gateway.drain()]);
      await Promise.all([nats.stop(), llm.stop(), database.drop()]);
    },
  };
}
