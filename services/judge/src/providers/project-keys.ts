import { type FindPrice, type PriceChange, priceFinder, Secret } from "@touchstone/contracts";
import { type Clock, orAborted } from "@touchstone/service-kit";
import type { Sleep } from "../scheduling/sleep.ts";
import type { ProviderName } from "./choose-provider.ts";
import type { CallOptions } from "./provider.ts";

/** What a project's calls are made with, and on whose account (decision 27). */
export interface ProjectKeys {
  organizationId: string | null;
  /** Its own keys and no others; its quota is its organization's. */
  isTenant: boolean;
  /** Stored ones; null where there is none. */
  keys: Readonly<Record<ProviderName, Secret | null>>;
  /** Asked where a request names no model; null: the installation's. */
  platformModel: string | null;
  /** Custom models of its catalogue, each at an endpoint of its own. */
  models: readonly CustomModel[];
  /** By its catalogue. */
  findPrice: FindPrice;
}

/** A model at an endpoint that somebody named in the catalogue (decision 29). */
export interface CustomModel {
  model: string;
  baseUrl: string;
  /** Null: the endpoint asks for none. */
  apiKey: Secret | null;
}

/** What auth says about a project, keys in clear. */
export interface AnsweredKeys extends Omit<ProjectKeys, "keys" | "models" | "findPrice"> {
  keys: Readonly<Record<ProviderName, string | null>>;
  models: readonly { model: string; baseUrl: string; apiKey: string | null }[];
  /** Changed in the built-in prices. */
  prices: readonly PriceChange[];
}

/** Auth cannot be asked, and nothing that it said within the last minute is remembered. */
export class KeysUnavailableError extends Error {
  override readonly name = "KeysUnavailableError";
}

export interface ReadOptions {
  /** False: answers at once, also when auth is away. Default: tries again until shortly before the call's deadline. */
  waits?: boolean;
  /** How old an answer may be. Default 2 s. */
  maxAgeMs?: number;
}

export interface ProjectKeysReader {
  /** Rejects with {@link KeysUnavailableError}, or with the signal's reason. */
  read(call: CallOptions, options?: ReadOptions): Promise<ProjectKeys>;
}

export interface ProjectKeysOptions {
  /** Asks auth about a project; has a deadline of its own. Null: there is no auth, and nothing is stored. */
  ask: ((projectId: string) => Promise<AnsweredKeys>) | null;
  clock: Clock;
  sleep: Sleep;
}

const maxAgeDefaultMs = 2_000;
/** How long an answer counts while auth is away, and how often it is tried meanwhile. */
const withoutAuthMs = 60_000;
const retryMs = 500;
/** Left of a call's time when waiting ends, so that the reason still arrives. */
const marginMs = 1_000;
/** Projects that are remembered; the least recently asked about is forgotten. */
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
  /** When auth was asked: a change that came later may be missing. */
  askedAtMs: number;
}

/** Remembers for seconds what auth said; each project is asked about once at a time, however many calls wait. */
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
    // Known to be away: nobody who can do without waits for it.
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
