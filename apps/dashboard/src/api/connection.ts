import { keyRequests } from "./access.gen.ts";
import { noAnswer, readProblem } from "./problem.ts";
import type { components, paths } from "./schema.gen.d.ts";

/** How people sign in, as the server advertises it. */
export type AuthConfig = paths["/api/v1/auth/config"]["get"]["responses"][200]["content"]["application/json"];
/** The signed-in user. */
export type User = NonNullable<
  paths["/api/v1/auth/get-session"]["get"]["responses"][200]["content"]["application/json"]
>["user"];
export type Project = components["schemas"]["ProjectList"]["projects"][number];

/** The access this browser has. */
export type Connection =
  /** No accounts, and no working key: the user has to paste one. `reason` explains why the last one was refused. */
  | { state: "needs-key"; reason: string | null }
  /** Accounts, and signed out. */
  | { state: "needs-sign-in" }
  | {
      state: "ready";
      config: AuthConfig;
      projects: Project[];
      /** Null without accounts. */
      user: User | null;
    };

const keyName = "touchstone.apiKey";
/** Set by Disconnect, so that the next load asks instead of reconnecting automatically. */
const disconnectedName = "touchstone.disconnected";

/**
 * Determines this browser's identity. Without accounts the key is the stored one, else the default project's from the
 * server's configuration; with accounts it is the session cookie, and nothing is stored. Throws an ApiProblem when the
 * server cannot be reached.
 */
export async function connect(storage: Pick<Storage, "getItem" | "setItem" | "removeItem">): Promise<Connection> {
  const config = await readJson<AuthConfig>("/api/v1/auth/config", {});
  if (config.mode === "enabled") {
    const session = await readJson<{ user: User } | null>("/api/v1/auth/get-session", {});
    if (session === null) return { state: "needs-sign-in" };
    const answer = await ask("/api/v1/projects", {});
    if (answer.status === 401) return { state: "needs-sign-in" };
    const { projects } = await bodyOf<{ projects: Project[] }>(answer);
    return { state: "ready", config, projects, user: session.user };
  }
  const stored = storage.getItem(keyName);
  const offered = storage.getItem(disconnectedName) === null ? config.apiKey : null;
  for (const key of new Set([stored, offered])) {
    if (key === null) continue;
    const answer = await ask("/api/v1/projects", { "x-api-key": key });
    if (answer.status === 401) continue;
    const { projects } = await bodyOf<{ projects: Project[] }>(answer);
    storage.setItem(keyName, key);
    // The key's own project comes first: it is the start page without a link.
    const own = projects.filter(({ apiKey }) => apiKey === key);
    return {
      state: "ready",
      config,
      user: null,
      projects: [...own, ...projects.filter(({ apiKey }) => apiKey !== key)],
    };
  }
  storage.removeItem(keyName);
  return { state: "needs-key", reason: stored === null ? null : "The key that was used here no longer works." };
}

/** Stores a pasted key; the next {@link connect} tries it. */
export function storeKey(storage: Pick<Storage, "setItem" | "removeItem">, key: string): void {
  storage.setItem(keyName, key.trim());
  storage.removeItem(disconnectedName);
}

/** Stores a project's new key in place of the old one. */
export function replaceKey(storage: Pick<Storage, "getItem" | "setItem">, before: string, after: string): void {
  if (storage.getItem(keyName) === before) storage.setItem(keyName, after);
}

/** Connects to the default project again after {@link disconnect}. */
export function forgetDisconnect(storage: Pick<Storage, "removeItem">): void {
  storage.removeItem(keyName);
  storage.removeItem(disconnectedName);
}

/** Deletes the stored key. The next load asks for one. */
export function disconnect(storage: Pick<Storage, "setItem" | "removeItem">): void {
  storage.removeItem(keyName);
  storage.setItem(disconnectedName, "1");
}

/** The requests that take no session, as patterns. */
const keyOnly = keyRequests.map((request) => new RegExp(`^${request.replaceAll(/\{\w+\}/g, "[^/]+")}$`));

/**
 * The headers that give access to a project. With accounts the browser sends the cookie and a header names the project. Only a
 * request that takes no session gets the project's key: a key wins over the cookie, so the role would not be checked.
 */
export function credentialHeaders(
  config: AuthConfig,
  project: Pick<Project, "_id" | "apiKey">,
  request: { method: string; path: string },
): Record<string, string> {
  const needsKey =
    config.mode === "disabled" || keyOnly.some((pattern) => pattern.test(`${request.method} ${request.path}`));
  return needsKey ? { "x-api-key": project.apiKey } : { "x-project-id": project._id };
}

async function ask(path: string, headers: Record<string, string>): Promise<Response> {
  try {
    return await fetch(path, { headers, cache: "no-store" });
  } catch (error) {
    throw noAnswer(error);
  }
}

async function bodyOf<Body>(answer: Response): Promise<Body> {
  if (!answer.ok) throw await readProblem(answer);
  return (await answer.json()) as Body;
}

async function readJson<Body>(path: string, headers: Record<string, string>): Promise<Body> {
  return bodyOf(await ask(path, headers));
}
