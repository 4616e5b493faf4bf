import { hash } from "node:crypto";
import type { ResolvedSession } from "@touchstone/contracts";
import { AppError, type Clock } from "@touchstone/service-kit";
import { createRecentMap } from "./recent-map.ts";

export interface SessionCacheOptions {
  /** Asks auth; null when it is nobody's session. Throws when auth cannot say. */
  lookUp: (cookie: string) => Promise<ResolvedSession | null>;
  clock: Clock;
  /** Most sessions that are remembered; the least recently used go first. */
  entriesMax?: number;
}

export interface SessionCache {
  /**
   * Whose session this is; null when it is nobody's or over. `fresh` asks auth whatever is remembered. Throws
   * `service_unavailable` when auth cannot say.
   */
  resolve(cookie: string, options?: { fresh?: boolean }): Promise<ResolvedSession | null>;
  /** Forgets a cookie at once: its session may be over. */
  forget(cookie: string): void;
  /** Forgets the sessions of users at once: what they open has changed. */
  forgetUsers(userIds: readonly string[]): void;
  /** Forgets the sessions that open one of these projects, or all sessions, at once. */
  forgetProjects(projectIds: readonly string[] | "all"): void;
}

/** How long an answer of auth counts: other gateways notice a sign-out within this, and a lost membership if untold. */
const knownMs = 5_000;

interface Entry {
  session: ResolvedSession;
  /** When auth was asked: the promise of 5 s counts from the question. */
  askedAtMs: number;
}

/** Remembers what auth said about session cookies, by SHA-256 of the cookie. Nobody's are not remembered. */
export function createSessionCache({ lookUp, clock, entriesMax = 10_000 }: SessionCacheOptions): SessionCache {
  const known = createRecentMap<Entry>(entriesMax);
  const asking = new Map<string, Promise<ResolvedSession | null>>();
  // Counts what was forgotten: an answer that was on its way meanwhile may be older than that, and is not kept.
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
    // Whose the questions under way are is not known yet.
    asking.clear();
  }

  return {
    async resolve(cookie, { fresh = false } = {}) {
      const digest = digestOf(cookie);
      const entry = known.get(digest);
      const ageMs = entry === undefined ? Number.POSITIVE_INFINITY : clock.now() - entry.askedAtMs;
      // A clock set back would make an entry immortal.
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
      // Whoever asks from now on does not wait for an answer that began before.
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
