import createClient from "openapi-fetch";
import { takeRead } from "./ahead.ts";
import { type AuthConfig, credentialHeaders, type Project } from "./connection.ts";
import { ApiProblem, noAnswer, readProblem } from "./problem.ts";
import type { paths } from "./schema.gen.d.ts";

/** Timeouts; the gateway's own deadlines are shorter. A POST may wait for judges. */
const readMs = 40_000;
const writeMs = 260_000;

/** The API of one project. Query keys begin with `projectId`, so that projects never share cached data. */
export interface ProjectApi extends ReturnType<typeof createClient<paths>> {
  projectId: string;
  project: Project;
  /** A GET whose answer stays open, for server-sent events. Rejects with an ApiProblem like every call. */
  open(path: string, options: { signal: AbortSignal; headers?: Record<string, string> }): Promise<Response>;
}

export interface ProjectApiOptions {
  config: AuthConfig;
  project: Project;
  /**
   * Called when the key or the session is refused. Returns the key to try once more, or null: then the caller gets the
   * 401 and the page explains what to do.
   */
  onRefused(): Promise<Project | null>;
}

/** Every call of the returned client rejects with an ApiProblem unless the answer is a success. */
export function createProjectApi({ config, project, onRefused }: ProjectApiOptions): ProjectApi {
  let current = project;
  let renewal: Promise<Project | null> | null = null;

  /** The key to retry with after a refusal, or null. Concurrent refusals share one request for it. */
  async function replacementOf(refused: Project): Promise<Project | null> {
    if (current.apiKey !== refused.apiKey) return current;
    renewal ??= onRefused().finally(() => {
      renewal = null;
    });
    const renewed = await renewal;
    if (renewed === null || renewed.apiKey === refused.apiKey) return null;
    current = renewed;
    return renewed;
  }

  async function send(request: Request, as: Project): Promise<Response> {
    const path = new URL(request.url).pathname;
    for (const [name, value] of Object.entries(credentialHeaders(config, as, { method: request.method, path }))) {
      request.headers.set(name, value);
    }
    try {
      const begun = request.method === "GET" ? takeRead(as, path) : undefined;
      return await (begun ?? fetch(request));
    } catch (error) {
      if (error instanceof DOMException && error.name === "AbortError") throw error;
      throw noAnswer(error);
    }
  }

  async function answered(request: Request): Promise<Response> {
    const again = request.clone();
    const tried = current;
    const answer = await send(request, tried);
    if (answer.ok) return answer;
    if (answer.status === 401) {
      const replacement = await replacementOf(tried);
      if (replacement !== null) {
        const second = await send(again, replacement);
        if (second.ok) return second;
        throw await readProblem(second);
      }
    }
    throw await readProblem(answer);
  }

  const client = createClient<paths>({
    baseUrl: window.location.origin,
    fetch: (request) => {
      const timeout = AbortSignal.timeout(request.method === "GET" ? readMs : writeMs);
      return answered(new Request(request, { signal: AbortSignal.any([request.signal, timeout]) }));
    },
  });
  return {
    ...client,
    projectId: project._id,
    project,
    open: (path, { signal, headers = {} }) =>
      answered(new Request(new URL(path, window.location.origin), { signal, headers })),
  };
}

/** The body of a successful call. */
export async function bodyOf<Body>(call: Promise<{ data?: Body; response: Response }>): Promise<Body> {
  const { data, response } = await call;
  if (data === undefined) throw new ApiProblem("The answer was empty.", { status: response.status });
  return data;
}
