import { type FindPrice, type PriceChange, priceFinder, Secret } from "@touchstone/contracts";
import { type Clock, orAborted } from "@touchstone/service-kit";
import type { Sleep } from "../scheduling/sleep.ts";
import type { ProviderName } from "./choose-provider.ts";
import type { CallOptions } from "./provider.ts";

/** The keys of a project's calls, and their account (decision 27). */
export interface ProjectKeys {
  organizationId: string | null;
  /** It uses only its own keys, and its organization's quota. */
  isTenant: boolean;
  /** Stored keys; null where there is none. */
  keys: Readonly<Record<ProviderName, Secret | null>>;
  /** Used if a request names no model; null: the installation's. */
  platformModel: string | null;
  /** Custom models of its catalogue, each with a separate endpoint. */
  models: readonly CustomModel[];
  /** Looks up its catalogue. */
  findPrice: FindPrice;
}

/** A model at an endpoint from the catalogue (decision 29). */
export interface CustomModel {
  model: string;
  baseUrl: string;
  /** Null: the endpoint needs none. */
  apiKey: Secret | null;
}

/** Auth's answer about a project, with keys in clear. */
export interface AnsweredKeys extends Omit<ProjectKeys, "keys" | "models" | "findPrice"> {
  keys: Readonly<Record<ProviderName, string | null>>;
  models: readonly { model: string; baseUrl: string; apiKey: string | null }[];
  /** Changes of the built-in prices. */
  prices: readonly PriceChange[];
}

/** Auth is unavailable, and no answer from the last minute is cached. */
export class KeysUnavailableError extends Error {
  override readonly name = "KeysUnavailableError";
}

export interface ReadOptions {
  /**
   * False: returns immediately, also when auth is unavailable. Default: retries until shortly before the call's deadline.
   */
  waits?: boolean;
  /** The maximum age of a cached answer. Default 2 s. */
  maxAgeMs?: number;
}

export interface ProjectKeysReader {
  /** Rejects with {@link KeysUnavailableError}, or with the signal's reason. */
  read(call: CallOptions, options?: ReadOptions): Promise<ProjectKeys>;
}

export interface ProjectKeysOptions {
  /** Asks auth about a project, with a separate deadline. Null: there is no auth, and no keys are stored. */
  ask: ((projectId: string) => Promise<AnsweredKeys>) | null;
  clock: Clock;
  sleep: Sleep;
}

const maxAgeDefaultMs = 2_000;
/** The validity of an answer while auth is unavailable, and the retry interval. */
const withoutAuthMs = 60_000;
const retryMs = 500;
/** The time reserved at the end of a wait, so that the reason still arrives. */
const marginMs = 1_000;
/** Cached projects; the least recently used one is evicted. */
const projectsMax = 10_000;

const nothingStored: ProjectKeys = {
  organizationId: null,
  isTenant: false,
  keys: { openai: null, gemini: null, anthropic: null },
  platformModel: null,
  models: [],
  findPrice: priceFinder([]),
};

interface Entry {
  answer: ProjectKeys;
  /** The time of the request to auth: the answer may lack later changes. */
  askedAtMs: number;
}

/** Caches auth's answers for seconds; concurrent calls for a project share one request. */
export function createProjectKeysReader({ ask, clock, sleep }: ProjectKeysOptions): ProjectKeysReader {
  if (ask === null) return { read: async () => nothingStored };
  const known = new Map<string, Entry>();
  const asking = new Map<string, Promise<ProjectKeys>>();
  let failedAtMs: number | null = null;

  const askNow = async (projectId: string): Promise<ProjectKeys> => {
    const askedAtMs = clock.now();
    try {
      const answer = hideKeys(await ask(projectId));
      failedAtMs = null;
      known.delete(projectId);
      known.set(projectId, { answer, askedAtMs });
      const [oldest] = known.keys();
      if (known.size > projectsMax && oldest !== undefined) known.delete(oldest);
      return answer;
    } catch (cause) {
      failedAtMs = clock.now();
      throw new KeysUnavailableError("The provider keys cannot be read at the moment, so no judge was asked.", {
        cause,
      });
    }
  };

  function askOnce(projectId: string): Promise<ProjectKeys> {
    let answer = asking.get(projectId);
    if (answer === undefined) {
      answer = askNow(projectId).finally(() => asking.delete(projectId));
      answer.catch(() => undefined);
      asking.set(projectId, answer);
    }
    return answer;
  }

  const remembered = (projectId: string, maxAgeMs: number): ProjectKeys | null => {
    const entry = known.get(projectId);
    const ageMs = entry === undefined ? Number.NaN : clock.now() - entry.askedAtMs;
    // A clock set back would make an entry immortal.
    return entry !== undefined && ageMs >= 0 && ageMs < maxAgeMs ? entry.answer : null;
  };

  async function readOnce({ group, signal }: CallOptions, maxAgeMs: number): Promise<ProjectKeys> {
    const recent = remembered(group, maxAgeMs);
    if (recent !== null) return recent;
    const isAway = failedAtMs !== null && Math.abs(clock.now() - failedAtMs) < retryMs;
    const old = remembered(group, withoutAuthMs);
    // Known to be unavailable: callers that can use an old answer do not wait.
    if (isAway && old !== null) return old;
    try {
      return await orAborted(askOnce(group), signal);
    } catch (thrown) {
      const stillGood = signal.aborted ? null : remembered(group, withoutAuthMs);
      if (stillGood !== null) return stillGood;
      throw thrown;
    }
  }

  return {
    async read(call, { waits = true, maxAgeMs = maxAgeDefaultMs } = {}) {
      for (;;) {
        try {
          return await readOnce(call, maxAgeMs);
        } catch (thrown) {
          const isPointless = clock.now() + retryMs + marginMs > call.deadlineAtMs;
          if (!(thrown instanceof KeysUnavailableError) || !waits || isPointless) throw thrown;
          await sleep(retryMs, call.signal);
        }
      }
    },
  };
}

function hideKeys({ keys, models, prices, ...rest }: AnsweredKeys): ProjectKeys {
  const hide = (key: string | null): Secret | null => (key === null ? null : new Secret(key));
  const hidden = models.map((one) => ({ ...one, apiKey: hide(one.apiKey) }));
  return {
    ...rest,
    models: hidden,
    findPrice: priceFinder(prices),
    keys: { openai: hide(keys.openai), gemini: hide(keys.gemini), anthropic: hide(keys.anthropic) },
  };
}
