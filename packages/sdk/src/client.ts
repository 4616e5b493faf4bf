import createClient, { type Client } from "openapi-fetch";
import { readEnvironment } from "./environment.ts";
import type { operations, paths } from "./schema.gen.ts";
import { send } from "./send.ts";

const defaultUrl = "http://127.0.0.1:4700";

export interface TouchstoneOptions {
  /** Default: TOUCHSTONE_URL, else `http://127.0.0.1:4700`. */
  url?: string | undefined;
  /** A key of the project. Default: TOUCHSTONE_API_KEY, else SERVICE_API_KEY. */
  apiKey?: string | undefined;
  /** Sends the requests. Default: the global `fetch`. */
  fetch?: typeof fetch | undefined;
}

/** The body of a success of an operation. */
export type AnswerOf<
  Id extends keyof operations,
  Status extends keyof operations[Id]["responses"],
> = operations[Id]["responses"][Status] extends { content: { "application/json": infer Body } } ? Body : never;

/** A project of a Touchstone installation. */
export class Touchstone {
  /** The address of the installation, without a path of the API. */
  readonly url: string;
  /**
   * Every call of the API, typed: `client.api.GET("/api/v1/ingest/traces")`. A call rejects with an ApiError unless the answer is
   * a success.
   */
  readonly api: Client<paths>;
  readonly #apiKey: string;
  readonly #fetch: typeof fetch | undefined;

  constructor(options: TouchstoneOptions = {}) {
    const environment = readEnvironment();
    const url = options.url ?? environment.url ?? defaultUrl;
    if (!/^https?:\/\//.test(url)) throw new TypeError(`The address of Touchstone must begin with http: ${url}`);
    const apiKey = options.apiKey ?? environment.apiKey;
    if (apiKey === undefined) throw new TypeError("There is no key: set TOUCHSTONE_API_KEY, or pass apiKey.");
    requireHeaderValue(apiKey);
    this.url = withoutEnd(url);
    this.#apiKey = apiKey;
    this.#fetch = options.fetch;
    this.api = createClient<paths>({
      baseUrl: this.url,
      headers: { "x-api-key": apiKey },
      fetch: (request) => send(request, this.#fetch ?? fetch),
    });
  }

  /** Sends a request to a path of the API that {@link api} has no type for. Retries and errors are the same. */
  request(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set("x-api-key", this.#apiKey);
    return send(new Request(`${this.url}${path}`, { ...init, headers }), this.#fetch ?? fetch);
  }

  /** Whether a text is the key of this client. The key itself cannot be read. */
  hasKey(key: string): boolean {
    return key === this.#apiKey;
  }
}

/** The error of `Headers` would show the key. */
function requireHeaderValue(apiKey: string): void {
  try {
    new Headers({ "x-api-key": apiKey });
  } catch {
    throw new TypeError("The key has a character that no key has: check TOUCHSTONE_API_KEY, or apiKey.");
  }
}

/** A run without its results. */
export type RunState = AnswerOf<"getRun", 200>;

/** Reads a run without its results. */
export function readRun(client: Touchstone, runId: string): Promise<RunState> {
  return bodyOf(
    client.api.GET("/api/v1/custom-agent-evaluations/runs/{runId}", {
      params: { path: { runId }, query: { results: "none", caseStatistics: "none" } },
    }),
  );
}

/** The body of a successful call. */
export async function bodyOf<Body>(call: Promise<{ data?: Body; response: Response }>): Promise<Body> {
  const { data, response } = await call;
  if (data === undefined) throw new TypeError(`The answer has status ${response.status} and no body.`);
  return data;
}

function withoutEnd(url: string): string {
  return url.replace(/\/+$/, "").replace(/\/api\/v1$/, "");
}
