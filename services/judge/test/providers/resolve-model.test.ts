import { priceFinder, Secret } from "@touchstone/contracts";
import { describe, expect, test } from "vitest";
import { readJudgeConfig } from "../../src/config.ts";
import { KeysUnavailableError, type ProjectKeys, type ReadOptions } from "../../src/providers/project-keys.ts";
import type { Provider } from "../../src/providers/provider.ts";
import { createModelResolver } from "../../src/providers/resolve-model.ts";

const call = { group: "project", signal: new AbortController().signal, deadlineAtMs: Number.POSITIVE_INFINITY };
const noKeys = { openai: null, gemini: null, anthropic: null };
const environmentKeys = { OPENAI_API_KEY: "o-canary", GEMINI_API_KEY: "g-canary", ANTHROPIC_API_KEY: "a-canary" };

function setUp(environment: Record<string, string>, project: Partial<ProjectKeys> | Error) {
  const { providers } = readJudgeConfig({
    SERVICE_DB_URL: "postgres://127.0.0.1/touchstone",
    SERVICE_NATS_URL: "nats://127.0.0.1:4222",
    SERVICE_INTERNAL_SECRET: "x".repeat(32),
    ...environment,
  }).config;
  const keyOf = new Map<Provider, string | null>();
  const reads: (ReadOptions | undefined)[] = [];
  const { resolveModel, state } = createModelResolver({
    configs: providers,
    projectKeys: {
      async read(_call, options) {
        reads.push(options);
        if (project instanceof Error) throw project;
        const nothing = { organizationId: null, isTenant: false, keys: noKeys, platformModel: null, models: [] };
        return { ...nothing, findPrice: priceFinder([]), ...project };
      },
    },
    defaultModel: "gpt-5.6-luna",
    open({ apiKey }) {
      const provider = { circuit: () => "closed" } as Provider;
      keyOf.set(provider, apiKey?.reveal() ?? null);
      return provider;
    },
    openCustom({ baseUrl, apiKey }) {
      const provider = { circuit: () => "closed" } as Provider;
      keyOf.set(provider, `${baseUrl} ${apiKey?.reveal() ?? "without a key"}`);
      return provider;
    },
  });
  const route = async (model: string | null) => {
    const { provider, ...rest } = await resolveModel(model, call);
    return { ...rest, key: provider === null ? undefined : keyOf.get(provider) };
  };
  return { route, reads, state, opened: () => keyOf.size };
}

const stored = (keys: Partial<Record<keyof typeof noKeys, string>>): ProjectKeys["keys"] => ({
  ...noKeys,
  ...Object.fromEntries(Object.entries(keys).map(([name, key]) => [name, new Secret(key)])),
});

describe("which key a model is asked with", () => {
  test("a stored key wins over the environment's, which serves where none is stored", async () => {
    const { route } = setUp(environmentKeys, { keys: stored({ openai: "stored" }) });
    expect((await route("gpt-4.1")).key).toBe("stored");
    expect((await route("claude-opus-5")).key).toBe("a-canary");
  });

  test("a tenant has its own keys and no others; the environment gives addresses only", async () => {
    const environment = { ...environmentKeys, OPENAI_BASE_URL: "http://127.0.0.1:11434/v1" };
    const { route } = setUp(environment, { isTenant: true, keys: stored({ anthropic: "own" }) });
    expect((await route("claude-opus-5")).key).toBe("own");
    for (const model of ["gpt-4.1", "gemini-2.5-pro"]) {
      expect(await route(model)).toMatchObject({ key: undefined, missing: { skipped: "no_key" } });
    }
    const { route: own } = setUp(environment, { isTenant: true, keys: stored({ openai: "own" }) });
    expect(await own("gpt-4.1")).toMatchObject({ key: "own", host: "127.0.0.1:11434" });
    // An endpoint of the operator's own serves every model of the installation, and none of a tenant's.
    expect((await own("claude-opus-5")).key).toBeUndefined();
  });

  test("projects with one key share one provider, and so its limit and its circuit", async () => {
    const { route, opened } = setUp({}, { keys: stored({ openai: "stored" }) });
    await route("gpt-4.1");
    await route("gpt-5.6-luna");
    expect(opened()).toBe(1);
  });
});

test("without a name it is the project's platform model, else the installation's", async () => {
  expect((await setUp({}, { platformModel: "gpt-4.1" }).route(null)).model).toBe("gpt-4.1");
  expect((await setUp({}, {}).route(null)).model).toBe("gpt-5.6-luna");
});

test("a missing key is named by the provider that the model needs, after it was asked for once more", async () => {
  const { route, reads, state } = setUp({}, {});
  const told = async (model: string) => (await route(model)).missing;
  expect(await Promise.all(["gpt-4.1", "gemini-2.5-pro", "claude-opus-5"].map(told))).toEqual(
    [
      'Judge model "gpt-4.1" needs a OpenAI API key. Set OPENAI_API_KEY (or add it under provider keys).',
      'Judge model "gemini-2.5-pro" needs a Gemini API key. Set GEMINI_API_KEY (or add it under provider keys).',
      'Judge model "claude-opus-5" needs a Anthropic API key. Set ANTHROPIC_API_KEY (or add it under provider keys).',
    ].map((because) => ({ skipped: "no_key", because })),
  );
  expect(reads.filter((options) => options?.maxAgeMs !== undefined)).toHaveLength(3);
  expect(state()).toBe("no key");
});

test("unreadable keys are not missing keys: no provider is called, and the reason differs", async () => {
  const { route } = setUp(environmentKeys, new KeysUnavailableError("The provider keys cannot be read."));
  expect(await route("claude-opus-5")).toMatchObject({
    key: undefined,
    host: "api.anthropic.com",
    missing: { skipped: "provider_error", because: "The provider keys cannot be read." },
  });
});

test("a custom model is asked at its own endpoint with its own key, whatever its id begins with and however often", async () => {
  const { route, opened } = setUp(environmentKeys, {
    isTenant: true,
    platformModel: "gemini-of-ours",
    models: [
      { model: "gemini-of-ours", baseUrl: "https://models.example/v1", apiKey: new Secret("own-canary") },
      { model: "house", baseUrl: "http://127.0.0.1:8080/v1", apiKey: null },
    ],
  });

  for (const named of ["gemini-of-ours", null]) {
    expect(await route(named)).toMatchObject({
      model: "gemini-of-ours",
      host: "models.example",
      api: "chat",
      key: "https://models.example/v1 own-canary",
    });
  }
  expect(await route("house")).toMatchObject({ host: "127.0.0.1:8080", key: "http://127.0.0.1:8080/v1 without a key" });
  // Three of the environment, and one for each endpoint.
  expect(opened()).toBe(5);
});
