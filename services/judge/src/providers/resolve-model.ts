import { hash } from "node:crypto";
import type { ModelPrice, Secret, SkipReason } from "@touchstone/contracts";
import { chooseProvider, type ProviderConfig, type ProviderName, providerNames } from "./choose-provider.ts";
import { type CustomModel, KeysUnavailableError, type ProjectKeys, type ProjectKeysReader } from "./project-keys.ts";
import type { CallOptions, Provider } from "./provider.ts";
import type { WireApi } from "./request-shape.ts";

/** The model for a project, its provider, and its key. */
export interface ModelRoute {
  model: string;
  host: string;
  /** As configured; an endpoint that refuses the Responses API is still called through Chat Completions. */
  api: WireApi;
  /** From the project's catalogue; null: it has none for the model. */
  price: ModelPrice | null;
  /** Null = no provider can be called; `missing` is the reason. */
  provider: Provider | null;
  /** In words for the client, without keys. */
  missing: { skipped: SkipReason; because: string };
  /** The project's settings could not be read: its platform model and custom endpoints are unknown. */
  isGuess: boolean;
}

export interface ResolveOptions {
  /** Waits for keys that cannot be read. Default true. */
  waits?: boolean;
}

/**
 * The route of the model that a request names; null: the project's platform model, else the installation's default. Never
 * rejects.
 */
export type ResolveModel = (named: string | null, call: CallOptions, options?: ResolveOptions) => Promise<ModelRoute>;

export interface ModelResolver {
  resolveModel: ResolveModel;
  /** The state of the installation's own providers: `no key`, `ok`, or the failing ones. */
  state(): string;
}

export interface ModelResolverOptions {
  /** From the environment. */
  configs: Readonly<Record<ProviderName, ProviderConfig>>;
  projectKeys: ProjectKeysReader;
  defaultModel: string;
  open: (config: ProviderConfig) => Provider;
  /** Opens the endpoint of a custom model, which a user configured. */
  openCustom: (model: CustomModel) => Provider;
}

const labels: Readonly<Record<ProviderName, { name: string; variable: string }>> = {
  openai: { name: "OpenAI", variable: "OPENAI_API_KEY" },
  gemini: { name: "Gemini", variable: "GEMINI_API_KEY" },
  anthropic: { name: "Anthropic", variable: "ANTHROPIC_API_KEY" },
};

type Configs = Readonly<Record<ProviderName, ProviderConfig>>;

/**
 * Providers opened for stored keys, each with a separate limit, back-off and circuit; the least recently used is evicted.
 */
const openedMax = 500;
/** A missing key may have been stored a moment ago, by a user who just read the error: auth is asked again. */
const missingMaxAgeMs = 250;

/**
 * completions 7.1: a custom model's own endpoint; else a stored key, then the environment's, which a tenant never gets.
 */
export function createModelResolver(options: ModelResolverOptions): ModelResolver {
  const { configs, projectKeys, defaultModel, open, openCustom } = options;
  const own = new Map<ProviderName, Provider>();
  for (const name of providerNames) if (configs[name].isUsable) own.set(name, open(configs[name]));
  const opened = new Map<string, Provider>();

  function providerOf(name: ProviderName, config: ProviderConfig): Provider | null {
    if (!config.isUsable) return null;
    if (isSameKey(config.apiKey, configs[name].apiKey)) return own.get(name) ?? null;
    return remember(name, config.apiKey, () => open(config));
  }

  /** One provider per address and key. */
  function remember(place: string, apiKey: Secret | null, openIt: () => Provider): Provider {
    // A hash, so that the map contains no key.
    const id = `${place} ${hash("sha256", apiKey?.reveal() ?? "")}`;
    const provider = opened.get(id) ?? openIt();
    opened.delete(id);
    opened.set(id, provider);
    const [oldest] = opened.keys();
    if (opened.size > openedMax && oldest !== undefined) opened.delete(oldest);
    return provider;
  }

  function routeOf(named: string | null, project: ProjectKeys): ModelRoute {
    const model = named ?? project.platformModel ?? defaultModel;
    const custom = project.models.find((one) => one.model === model);
    const price = project.findPrice(model);
    if (custom !== undefined) return customRoute(custom, price);
    const usable = withKeysOf(project, configs);
    const name = chooseProvider(model, usable);
    const { baseUrl, api } = usable[name];
    const because = describeMissingKey(model, name, project.isTenant);
    return {
      model,
      host: new URL(baseUrl).host,
      api,
      price,
      provider: providerOf(name, usable[name]),
      missing: { skipped: "no_key", because },
      isGuess: false,
    };
  }

  /** Its own endpoint, regardless of the prefix of its id; a failure there is not a missing key. */
  function customRoute(custom: CustomModel, price: ModelPrice | null): ModelRoute {
    const { model, baseUrl, apiKey } = custom;
    const provider = remember(baseUrl, apiKey, () => openCustom(custom));
    const missing = { skipped: "no_key", because: `Judge model "${model}" cannot be asked.` } as const;
    return { model, host: new URL(baseUrl).host, api: "chat", price, provider, missing, isGuess: false };
  }

  /** The model's provider if nothing were stored: enough to look up the recorded verdicts of a model that is named. */
  function unknownRoute(named: string | null, missing: ModelRoute["missing"]): ModelRoute {
    const model = named ?? defaultModel;
    const { baseUrl, api } = configs[chooseProvider(model, configs)];
    return { model, host: new URL(baseUrl).host, api, price: null, provider: null, missing, isGuess: true };
  }

  return {
    async resolveModel(named, call, { waits = true } = {}) {
      try {
        const route = routeOf(named, await projectKeys.read(call, { waits }));
        if (route.provider !== null) return route;
        return routeOf(named, await projectKeys.read(call, { waits, maxAgeMs: missingMaxAgeMs }));
      } catch (thrown) {
        if (thrown instanceof KeysUnavailableError) {
          return unknownRoute(named, { skipped: "provider_error", because: thrown.message });
        }
        if (!call.signal.aborted) throw thrown;
        return unknownRoute(named, { skipped: "timeout", because: "The judge did not answer in time." });
      }
    },
    state() {
      if (own.size === 0) return "no key";
      const failing = [...own].filter(([, provider]) => provider.circuit() === "open").map(([name]) => name);
      return failing.length === 0 ? "ok" : `failing: ${failing.join(", ")}`;
    },
  };
}

/** The providers as this project may use them. A tenant gets only addresses from the environment. */
function withKeysOf({ isTenant, keys }: ProjectKeys, configs: Configs): Configs {
  const fill = (name: ProviderName): ProviderConfig => {
    const config = configs[name];
    const apiKey = isTenant ? keys[name] : (keys[name] ?? config.apiKey);
    const isOwnAddress = config.isOwnAddress && !isTenant;
    return { ...config, apiKey, isOwnAddress, isUsable: isOwnAddress || apiKey !== null };
  };
  return { openai: fill("openai"), gemini: fill("gemini"), anthropic: fill("anthropic") };
}

function isSameKey(one: Secret | null, other: Secret | null): boolean {
  return one?.reveal() === other?.reveal();
}

function describeMissingKey(model: string, provider: ProviderName, isTenant: boolean): string {
  const { name, variable } = labels[provider];
  const remedy = isTenant ? "Add it under provider keys." : `Set ${variable} (or add it under provider keys).`;
  return `Judge model "${model}" needs a ${name} API key. ${remedy}`;
}
