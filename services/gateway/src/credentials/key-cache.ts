import { hash } from "node:crypto";
import { AppError, type Clock, isWellFormedProjectKey } from "@touchstone/service-kit";
import { createRecentMap } from "./recent-map.ts";

/** What a key stands for. */
export interface KeyOwner {
  projectId: string;
  organizationId: string | null;
}

export interface KeyCacheOptions {
  /** Asks auth; null when no project has the key. Throws when auth cannot say. */
  lookUp: (apiKey: string) => Promise<KeyOwner | null>;
  clock: Clock;
  /** Most known keys, and as many unknown ones, that are remembered; the least recently used go first. */
  entriesMax?: number;
}

export interface KeyCache {
  /**
   * Whose key this is; null when it is nobody's. `fresh` asks auth whatever is cached. Throws `service_unavailable`
   * when auth cannot say and did not say within the last minute: never a refusal of a key that may be good.
   */
  resolve(apiKey: string, options?: { fresh?: boolean }): Promise<KeyOwner | null>;
  /** Whose key this is, from the cache alone; null when it is not cached. */
  recall(apiKey: string): KeyOwner | null;
  /** Forgets every key of these projects, or of all, at once. */
  forgetProjects(projectIds: readonly string[] | "all"): void;
}

/** How long an answer of auth counts (decision 9). */
const knownMs = 5_000;
const unknownMs = 1_000;
/** How long a known key works on while auth is away, and how often auth is tried meanwhile. */
const withoutAuthMs = 60_000;
const retryMs = 250;

interface Entry {
  owner: KeyOwner | null;
  /** When auth was asked: the promise of 5 s counts from the question, not from the answer. */
  askedAtMs: number;
}

/**
 * Remembers what auth said about keys, by SHA-256 of the key: the cache itself holds none. Each key is asked once at a
 * time, however many requests wait for it.
 */
export function createKeyCache({ lookUp, clock, entriesMax = 10_000 }: KeyCacheOptions): KeyCache {
  const known = createRecentMap<Entry>(entriesMax);
  const unknown = createRecentMap<Entry>(entriesMax);
  const asking = new Map<string, Promise<KeyOwner | null>>();
  let authFailedAtMs: number | null = null;
  // Counts revocations: an answer that was on its way during one may be older than it, and is not kept.
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
    // A clock set back would make an entry immortal.
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
        // Known to be away: nobody waits for auth again, it is tried in the background.
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
      // Whose the questions under way are is not known yet: whoever asks from now on does not wait for their answers.
      asking.clear();
    },
  };
}
