import type { Secret } from "@touchstone/contracts";
import {
  ConfigError,
  type Environment,
  readStoreServiceConfig,
  type StoreServiceConfig,
} from "@touchstone/service-kit";
import type { ProviderConfig, ProviderName } from "./providers/choose-provider.ts";
import type { WireApi } from "./providers/request-shape.ts";

export interface JudgeConfig extends StoreServiceConfig {
  /** Addresses of auth, for stored provider keys; null: there is no auth, and only the environment has keys. */
  authAddresses: readonly string[] | null;
  /** Endpoints of custom models may be in the installation's own network (completions 1.7). */
  allowsPrivateHosts: boolean;
  defaultModel: string;
  providers: Readonly<Record<ProviderName, ProviderConfig>>;
  /** Limits of calls to each provider. */
  calls: {
    /** Deadline of one call. */
    timeoutMs: number;
    retriesMax: number;
    /** Concurrent calls. */
    callsMax: number;
  };
  /** Null = no limit. */
  callsPerDay: number | null;
  /** The number of days that records of verdicts are kept. */
  verdictRecordDays: number;
}

const defaultBaseUrls: Readonly<Record<ProviderName, string>> = {
  openai: "https://api.openai.com/v1",
  gemini: "https://generativelanguage.googleapis.com/v1beta/openai/",
  anthropic: "https://api.anthropic.com/v1/",
};

/** Reads judge's settings; all errors are reported at once, by variable name. */
export function readJudgeConfig(environment: Environment): { config: JudgeConfig; warnings: string[] } {
  const { config, values, warnings } = readStoreServiceConfig(environment, {
    database: "SERVICE_JUDGE_DB_URL",
    more: [
      "SERVICE_AUTH_URL",
      "SERVICE_MULTI_TENANT",
      "SERVICE_ALLOW_PRIVATE_WEBHOOKS",
      "OPENAI_API_KEY",
      "OPENAI_BASE_URL",
      "GEMINI_API_KEY",
      "GEMINI_BASE_URL",
      "ANTHROPIC_API_KEY",
      "ANTHROPIC_BASE_URL",
      "SERVICE_DEFAULT_JUDGE_MODEL",
      "SERVICE_JUDGE_API",
      "SERVICE_JUDGE_TIMEOUT_MS",
      "SERVICE_JUDGE_RETRIES",
      "SERVICE_JUDGE_CONCURRENCY",
      "SERVICE_QUOTA_JUDGE_CALLS_PER_DAY",
      "SERVICE_VERDICT_RECORD_DAYS",
    ],
  });
  const authAddresses = values.SERVICE_AUTH_URL ?? null;
  if (authAddresses === null) {
    if (values.SERVICE_MULTI_TENANT) throw new ConfigError(["SERVICE_AUTH_URL: is needed in multi-tenant mode"]);
    warnings.push("SERVICE_AUTH_URL: is not set; provider keys that are stored in settings are not used");
  }
  return {
    config: {
      ...config,
      authAddresses,
      allowsPrivateHosts: values.SERVICE_ALLOW_PRIVATE_WEBHOOKS ?? !values.SERVICE_MULTI_TENANT,
      defaultModel: values.SERVICE_DEFAULT_JUDGE_MODEL,
      providers: {
        openai: describeProvider("openai", values.OPENAI_BASE_URL, values.OPENAI_API_KEY, values.SERVICE_JUDGE_API),
        gemini: describeProvider("gemini", values.GEMINI_BASE_URL, values.GEMINI_API_KEY, "chat"),
        anthropic: describeProvider("anthropic", values.ANTHROPIC_BASE_URL, values.ANTHROPIC_API_KEY, "chat"),
      },
      calls: {
        timeoutMs: values.SERVICE_JUDGE_TIMEOUT_MS,
        retriesMax: values.SERVICE_JUDGE_RETRIES,
        callsMax: values.SERVICE_JUDGE_CONCURRENCY,
      },
      verdictRecordDays: values.SERVICE_VERDICT_RECORD_DAYS,
      callsPerDay: values.SERVICE_QUOTA_JUDGE_CALLS_PER_DAY ?? null,
    },
    warnings,
  };
}

function describeProvider(
  name: ProviderName,
  ownUrl: string | undefined,
  key: Secret | undefined,
  api: WireApi | undefined,
): ProviderConfig {
  const baseUrl = ownUrl ?? defaultBaseUrls[name];
  const host = new URL(defaultBaseUrls[name]).hostname;
  const given = new URL(baseUrl).hostname;
  // A provider's regional addresses count as the provider.
  const isOwnAddress = given !== host && !given.endsWith(`.${host}`);
  return {
    baseUrl,
    apiKey: key ?? null,
    isOwnAddress,
    isUsable: isOwnAddress || key !== undefined,
    // completions 7.1. Compatible endpoints offer Chat Completions; only OpenAI is sure to have the Responses API.
    api: api ?? (isOwnAddress ? "chat" : "responses"),
  };
}
