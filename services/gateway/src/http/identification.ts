import type { Authentication, Route } from "@touchstone/contracts";
import { AppError } from "@touchstone/service-kit";
import type { FastifyRequest } from "fastify";
import type { Caller } from "../caller.ts";
import type { KeyCache } from "../credentials/key-cache.ts";
import { readPresentedKey } from "../credentials/presented-key.ts";
import { readSessionCookie } from "../credentials/presented-session.ts";
import type { SessionCache } from "../credentials/session-cache.ts";
import { enterProject, mayEnter, requireSessionRole, sessionUseOf } from "../credentials/session-use.ts";

/** The result of identification. */
export interface Identified {
  /** Null on public routes, and on those whose owner asks for a sign-in itself. */
  caller: Caller | null;
  /** Asks auth again whether the key or session still has access to the caller's project; null without a caller. */
  isStillGood: (() => Promise<boolean>) | null;
}

/**
 * Identifies the caller. Throws 401, 403 for a session from an unknown origin or with too low a role, 404 for a foreign
 * project, or 503.
 */
export type Identify = (route: Route, request: FastifyRequest) => Promise<Identified>;

export interface IdentificationOptions {
  keys: KeyCache;
  /** Null in default mode: cookies are not read. */
  sessions: SessionCache | null;
  /** True if browsers use https. */
  isSecure: boolean;
}

/** Public routes, and those of the gateway that check a separate token. */
const answeredToAnybody: readonly Authentication[] = ["none", "metrics", "admin"];

const nobody: Identified = { caller: null, isStillGood: null };

/** A key is used if one is sent, and then cookies are ignored; a session has the access of completions 12.6. */
export function createIdentification({ keys, sessions, isSecure }: IdentificationOptions): Identify {
  return async (route, request) => {
    if (route.authentication.some((way) => answeredToAnybody.includes(way))) return nobody;
    if (sessions !== null) {
      const identified = await identifySession(sessions, route, request);
      if (identified !== null) return identified;
    }
    return identifyKey(route, request);
  };

  async function identifyKey(route: Route, request: FastifyRequest): Promise<Identified> {
    const apiKey = readPresentedKey(request.headers, route.authentication);
    const owner = apiKey === null ? null : await keys.resolve(apiKey, { fresh: concernsKeys(route) });
    if (apiKey === null || owner === null) throw new AppError("unauthorized", "Invalid or missing API key");
    return {
      caller: owner,
      isStillGood: async () => (await keys.resolve(apiKey, { fresh: true }))?.projectId === owner.projectId,
    };
  }

  /** Null if the session does not apply: the key decides. */
  async function identifySession(
    known: SessionCache,
    route: Route,
    request: FastifyRequest,
  ): Promise<Identified | null> {
    const hasKey = request.headers["x-api-key"] !== undefined;
    const use = sessionUseOf(route);
    const isOfUser = use === "user" || use === "userOrKey";
    const cookie = readSessionCookie(request.headers.cookie, isSecure);
    const counts = use === "account" || use === "user" || !hasKey;
    if (use === "none" || !counts) return null;
    if (cookie !== null && route.method !== "GET") requireOrigin(request);
    if (use === "account") return nobody;
    const asked = isOfUser ? null : askedProject(request, use);
    if (use === "namedProject" && asked === null) return null;
    const fresh = isOfUser || concernsKeys(route);
    const session = cookie === null ? null : await known.resolve(cookie, { fresh });
    if (cookie === null || session === null) return isOfUser ? nobody : null;
    if (isOfUser) {
      const caller = { projectId: null, organizationId: null, user: { userId: session.userId, role: null } };
      return { caller, isStillGood: null };
    }
    // The project or the role may have been given just now: the cache alone must not deny access.
    const isEnough = mayEnter(route, session, asked);
    const current = isEnough || fresh ? session : ((await known.resolve(cookie, { fresh: true })) ?? session);
    const caller = enterProject(current, asked);
    requireSessionRole(route, caller);
    return {
      caller,
      async isStillGood() {
        const again = await known.resolve(cookie, { fresh: true });
        return again?.projects.some(({ projectId }) => projectId === caller.projectId) ?? false;
      },
    };
  }
}

/** Routes that show or replace keys must not accept a revoked key or a lost membership from the cache. */
function concernsKeys({ owner, id }: Route): boolean {
  return owner === "auth" || id === "readSettings";
}

/**
 * A page cannot choose its Origin, and foreign ones were refused before; a cookie without an Origin is not from the
 * dashboard.
 */
function requireOrigin({ headers }: FastifyRequest): void {
  if (headers.origin === undefined) throw new AppError("invalid_origin", "Missing or null Origin");
}

/** The project named for a session; null if none is named. */
function askedProject({ headers, query }: FastifyRequest, use: "project" | "namedProject"): string | null {
  const inQuery = use === "project" ? (query as Record<string, unknown>).projectId : undefined;
  const asked = inQuery ?? headers["x-project-id"];
  return typeof asked === "string" && asked !== "" ? asked : null;
}
