import type { Secret } from "@touchstone/contracts";
import { type Environment, loadSettings, requireSettings } from "@touchstone/service-kit";

/** Where judges are asked, and how hard. */
export interface ProviderConfig {
  baseUrl: string;
  /** Null at an endpoint of the operator's own that asks for none. */
  apiKey: Secret | null;
  firstApi: "responses" | "chat";
  /** Deadline of one call. */
  timeoutMs: number;
  retriesMax: number;
  callsMax: number;
}

export interface JudgeConfig {
  listen: { host: string; port: number };
  logLevel: string;
  rootSecret: string;
  nats: { url: string; user: string | undefined; password: Secret | undefined };
  defaultModel: string;
  /** Null = OpenAI without a key: every LLM verdict is skipped and says so. */
  provider: ProviderConfig | null;
}

const openAiBaseUrl = "https://api.openai.com/v1";

/** Reads judge's settings; every mistake is reported at once, by variable name. */
export function readJudgeConfig(environment: Environment): { config: JudgeConfig; warnings: string[] } {
  const { values, warnings } = loadSettings(
    [
      "PORT",
      "SERVICE_HOST",
      "SERVICE_LOG_LEVEL",
      "SERVICE_NATS_URL",
      "SERVICE_NATS_USER",
      "SERVICE_NATS_PASSWORD",
      "SERVICE_INTERNAL_SECRET",
      "OPENAI_API_KEY",
      "OPENAI_BASE_URL",
      "SERVICE_DEFAULT_JUDGE_MODEL",
      "SERVICE_JUDGE_API",
      "SERVICE_JUDGE_TIMEOUT_MS",
      "SERVICE_JUDGE_RETRIES",
      "SERVICE_JUDGE_CONCURRENCY",
    ],
    environment,
  );
  const { natsUrl, rootSecret } = requireSettings({
    natsUrl: [values.SERVICE_NATS_URL, "SERVICE_NATS_URL"],
    rootSecret: [values.SERVICE_INTERNAL_SECRET, "SERVICE_INTERNAL_SECRET"],
  });
  const baseUrl = values.OPENAI_BASE_URL ?? openAiBaseUrl;
  const isOpenAi = /^(.+\.)?api\.openai\.com$/.test(new URL(baseUrl).hostname);
  const apiKey = values.OPENAI_API_KEY ?? null;
  const provider: ProviderConfig = {
    baseUrl,
    apiKey,
    // decisions: Judge. Compatible endpoints offer Chat Completions; only OpenAI is sure to have the Responses API.
    firstApi: values.SERVICE_JUDGE_API ?? (isOpenAi ? "responses" : "chat"),
    timeoutMs: values.SERVICE_JUDGE_TIMEOUT_MS,
    retriesMax: values.SERVICE_JUDGE_RETRIES,
    callsMax: values.SERVICE_JUDGE_CONCURRENCY,
  };
  return {
    config: {
      listen: { host: values.SERVICE_HOST, port: values.PORT },
      logLevel: values.SERVICE_LOG_LEVEL,
      rootSecret: rootSecret.reveal(),
      nats: { url: natsUrl, user: values.SERVICE_NATS_USER, password: values.SERVICE_NATS_PASSWORD },
      defaultModel: values.SERVICE_DEFAULT_JUDGE_MODEL,
      provider: isOpenAi && apiKey === null ? null : provider,
    },
    warnings,
  };
}
