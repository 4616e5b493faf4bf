import { hash } from "node:crypto";
import type { ResolvedSession } from "@touchstone/contracts";
import { AppError, type Clock } from "@touchstone/service-kit";
import { createRecentMap } from "./recent-map.ts";

export interface SessionCacheOptions {
  /** Asks auth; null if the session is unknown. Throws if auth is unavailable. */
  lookUp: (cookie: string) => Promise<ResolvedSession | null>;
  clock: Clock;
  /** Maximum number of sessions; the least recently used are evicted first. */
  entriesMax?: number;
}

export interface SessionCache {
  /**
   * The session of this cookie; null if it is unknown or expired. `fresh` bypasses the cache. Throws
   * `service_unavailable` if auth is unavailable.
   */
  resolve(cookie: string, options?: { fresh?: boolean }): Promise<ResolvedSession | null>;
  /** Removes a cookie at once: its session may have ended. */
  forget(cookie: string): void;
  /** Removes the sessions of users at once: their access has changed. */
  forgetUsers(userIds: readonly string[]): void;
  /** Removes the sessions with access to one of these projects, or all sessions, at once. */
  forgetProjects(projectIds: readonly string[] | "all"): void;
}

/**
 * How long an answer of auth is valid: other gateways notice a sign-out within this time, and a lost membership or a
 * changed password if its event is lost.
 */
const knownMs = 5_000;

interface Entry {
  session: ResolvedSession;
  /** When auth was asked: the 5 s count from the request. */
  askedAtMs: number;
}

/** Caches auth's answers about session cookies by SHA-256 of the cookie. Unknown cookies are not cached. */
export function createSessionCache({ lookUp, clock, entriesMax = 10_000 }: SessionCacheOptions): SessionCache {
  const known = createRecentMap<Entry>(entriesMax);
  const asking = new Map<string, Promise<ResolvedSession | null>>();
  // Counts removals: an answer requested before one may be outdated, and is not cached.
  let forgotten = 0;

  async function ask(digest: string, cookie: string): Promise<ResolvedSession | null> {
    const askedAtMs = clock.now();
    const forgottenBefore = forgotten;
    try {
      const session = await lookUp(cookie);
      if (session === null) known.delete(digest);
      else if (forgotten === forgottenBefore) known.set(digest, { session, askedAtMs });
      return session;
    } catch (cause) {
      throw new AppError("service_unavailable", "Sessions cannot be checked at the moment; retry.", { cause });
    }
  }

  function forgetWhere(isStale: (session: ResolvedSession) => boolean): void {
    forgotten += 1;
    known.deleteWhere(({ session }) => isStale(session));
    // The owners in pending lookups are unknown.
    asking.clear();
  }

  return {
    async resolve(cookie, { fresh = false } = {}) {
      const digest = digestOf(cookie);
      const entry = known.get(digest);
      const ageMs = entry === undefined ? Number.POSITIVE_INFINITY : clock.now() - entry.askedAtMs;
      // If the clock is set back, an entry must not live forever.
      if (!fresh && entry !== undefined && ageMs >= 0 && ageMs < knownMs) return entry.session;
      let answer = asking.get(digest);
      if (answer === undefined) {
        answer = ask(digest, cookie).finally(() => asking.delete(digest));
        asking.set(digest, answer);
      }
      return answer;
    },
    forget(cookie) {
      forgotten += 1;
      const digest = digestOf(cookie);
      known.delete(digest);
      // Later requests do not use an answer requested earlier.
      asking.delete(digest);
    },
    forgetUsers: (userIds) => forgetWhere((session) => userIds.includes(session.userId)),
    forgetProjects: (projectIds) =>
      forgetWhere(
        ({ projects }) => projectIds === "all" || projects.some(({ projectId }) => projectIds.includes(projectId)),
      ),
  };
}

function digestOf(cookie: string): string {
  return hash("sha256", cookie, "base64");
}
