import { hash } from "node:crypto";
import { AppError, type Clock, isWellFormedProjectKey } from "@touchstone/service-kit";
import { createRecentMap } from "./recent-map.ts";

/** The project and organization of a key. */
export interface KeyOwner {
  projectId: string;
  organizationId: string | null;
}

export interface KeyCacheOptions {
  /** Asks auth; null if no project has the key. Throws if auth is unavailable. */
  lookUp: (apiKey: string) => Promise<KeyOwner | null>;
  clock: Clock;
  /** Maximum number of known keys, and of unknown ones; the least recently used are evicted first. */
  entriesMax?: number;
}

export interface KeyCache {
  /**
   * The owner of this key; null if the key is unknown. `fresh` bypasses the cache. Throws `service_unavailable` if auth
   * is unavailable and did not answer within the last minute: a key that may be valid is never refused.
   */
  resolve(apiKey: string, options?: { fresh?: boolean }): Promise<KeyOwner | null>;
  /** The cached owner of this key; null if it is not cached. */
  recall(apiKey: string): KeyOwner | null;
  /** Removes every key of these projects, or all keys, at once. */
  forgetProjects(projectIds: readonly string[] | "all"): void;
}

/** How long an answer of auth is valid (decision 9). */
const knownMs = 5_000;
const unknownMs = 1_000;
/** How long a known key works while auth is unavailable, and how often auth is retried. */
const withoutAuthMs = 60_000;
const retryMs = 250;

interface Entry {
  owner: KeyOwner | null;
  /** When auth was asked: the 5 s count from the request, not from the answer. */
  askedAtMs: number;
}

/**
 * Caches auth's answers about keys by SHA-256 of the key: the cache holds no keys. Concurrent requests for a key share
 * one lookup.
 */
export function createKeyCache({ lookUp, clock, entriesMax = 10_000 }: KeyCacheOptions): KeyCache {
  const known = createRecentMap<Entry>(entriesMax);
  const unknown = createRecentMap<Entry>(entriesMax);
  const asking = new Map<string, Promise<KeyOwner | null>>();
  let authFailedAtMs: number | null = null;
  // Counts revocations: an answer requested before one may be outdated, and is not cached.
  let revocations = 0;

  async function ask(digest: string, apiKey: string): Promise<KeyOwner | null> {
    const askedAtMs = clock.now();
    const revocationsBefore = revocations;
    try {
      const owner = await lookUp(apiKey);
      authFailedAtMs = null;
      known.delete(digest);
      if (owner === null) unknown.set(digest, { owner, askedAtMs });
      else if (revocations === revocationsBefore) known.set(digest, { owner, askedAtMs });
      return owner;
    } catch (cause) {
      authFailedAtMs = clock.now();
      throw new AppError("service_unavailable", "Keys cannot be checked at the moment; retry.", { cause });
    }
  }

  function askOnce(digest: string, apiKey: string): Promise<KeyOwner | null> {
    let answer = asking.get(digest);
    if (answer === undefined) {
      answer = ask(digest, apiKey).finally(() => asking.delete(digest));
      asking.set(digest, answer);
    }
    return answer;
  }

  const isWithin = (entry: Entry, maxAgeMs: number): boolean => {
    const ageMs = clock.now() - entry.askedAtMs;
    // If the clock is set back, an entry must not live forever.
    return ageMs >= 0 && ageMs < maxAgeMs;
  };

  return {
    async resolve(apiKey, { fresh = false } = {}) {
      if (!isWellFormedProjectKey(apiKey)) return null;
      const digest = hash("sha256", apiKey, "base64");
      if (fresh) return askOnce(digest, apiKey);
      const refused = unknown.get(digest);
      if (refused !== undefined && isWithin(refused, unknownMs)) return null;
      const entry = known.get(digest);
      if (entry !== undefined && isWithin(entry, knownMs)) return entry.owner;
      if (entry === undefined || !isWithin(entry, withoutAuthMs)) return askOnce(digest, apiKey);
      if (authFailedAtMs !== null) {
        // Auth is known to be unavailable: requests do not wait for it, it is retried in the background.
        if (Math.abs(clock.now() - authFailedAtMs) >= retryMs) askOnce(digest, apiKey).catch(() => undefined);
        return entry.owner;
      }
      return askOnce(digest, apiKey).catch((unavailable) => {
        const stillKnown = known.get(digest);
        if (stillKnown === undefined) throw unavailable;
        return stillKnown.owner;
      });
    },
    recall(apiKey) {
      const entry = isWellFormedProjectKey(apiKey) ? known.get(hash("sha256", apiKey, "base64")) : undefined;
      return entry !== undefined && isWithin(entry, withoutAuthMs) ? entry.owner : null;
    },
    forgetProjects(projectIds) {
      revocations += 1;
      known.deleteWhere(
        ({ owner }) => owner !== null && (projectIds === "all" || projectIds.includes(owner.projectId)),
      );
      // The owners in pending lookups are unknown: new requests must not use their answers.
      asking.clear();
    },
  };
}
