/** An answer as a page reads it. */
export interface PageAnswer {
  status: number;
  body: Record<string, unknown>;
  /** The session cookie that the answer sets; null if it sets none. */
  cookie: string | null;
}

export interface PageRequest {
  body?: unknown;
  headers?: Record<string, string>;
}

/** A user with a browser: every request has its cookie and the installation's own origin. */
export interface Browser {
  send(method: string, path: string, request?: PageRequest): Promise<PageAnswer>;
}

/** A browser with this session's cookie; null: signed out. `path` is the path after `/api/v1`. */
export function openBrowser(url: string, cookie: string | null): Browser {
  return {
    async send(method, path, { body, headers = {} } = {}) {
      const response = await fetch(`${url}/api/v1${path}`, {
        method,
        headers: {
          ...(method !== "GET" && { origin: url }),
          ...(body !== undefined && { "content-type": "application/json" }),
          ...(cookie !== null && { cookie: `touchstone.session_token=${cookie}` }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        redirect: "manual",
      });
      const isJson = response.headers.get("content-type")?.includes("json") === true;
      const isLasting = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
      if (isLasting) await response.body?.cancel();
      const text = isLasting ? "" : await response.text();
      const [set] = response.headers.getSetCookie();
      return {
        status: response.status,
        body: isJson && text !== "" ? JSON.parse(text) : {},
        cookie: /session_token=([^;]*)/.exec(set ?? "")?.[1] ?? null,
      };
    },
  };
}

/** Creates an account and returns its browser. */
export async function signUp(url: string, name: string): Promise<Browser & { email: string }> {
  const email = `${name.toLowerCase()}@example.com`;
  const body = { name, email, password: "correct horse battery" };
  const answer = await openBrowser(url, null).send("POST", "/auth/sign-up/email", { body });
  if (answer.status !== 200) throw new Error(`The sign-up of ${name} was answered ${answer.status}.`);
  return { ...openBrowser(url, answer.cookie), email };
}
