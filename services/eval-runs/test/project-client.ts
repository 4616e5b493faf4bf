import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { identityHeader, type Method, requestIdHeader } from "@touchstone/contracts";
import { createIdentitySigner, systemClock } from "@touchstone/service-kit";
import { expect } from "vitest";
import { rootSecret } from "./start-eval-runs.ts";

const prefix = "/api/v1/custom-agent-evaluations";

export interface HttpAnswer {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came.
  body: any;
}

/** A client of one project, speaking as the gateway does: raw HTTP under a signed identity. */
export interface ProjectClient {
  projectId: string;
  /** `body` as a value, or as the exact text to send. */
  send(method: Method, path: string, body?: unknown, headers?: Record<string, string>): Promise<HttpAnswer>;
  /** The same for a path that does not begin like those of evaluations. */
  sendTo(method: Method, path: string, body?: unknown): Promise<HttpAnswer>;
  /** The answer to a GET of which nothing is read yet: as much has come as the connection takes. */
  open(path: string): Promise<IncomingMessage>;
  createDataset(dataset: object): Promise<string>;
  createRun(datasetId: string, more?: object): Promise<string>;
  submit(runId: string, results: readonly object[], batchId?: string, signal?: AbortSignal): Promise<HttpAnswer>;
  finalize(runId: string, body?: object): Promise<HttpAnswer>;
  readRun(runId: string): Promise<HttpAnswer["body"]>;
}

/** A separate project, reached at one address of the service. */
export function createProjectClient(address: string, projectId: string = randomUUID()): ProjectClient {
  const sign = createIdentitySigner({ issuer: "gateway", audience: "eval-runs", rootSecret, clock: systemClock });

  const send: ProjectClient["send"] = (method, path, body, headers) =>
    sendTo(method, `${prefix}${path}`, body, { headers });

  function identify(method: string, path: string): Record<string, string> {
    const requestId = randomUUID();
    const claims = { projectId, organizationId: null, userId: null, role: "key", requestId } as const;
    return { [identityHeader]: sign({ ...claims, method, path }), [requestIdHeader]: requestId };
  }

  async function sendTo(
    method: string,
    fullPath: string,
    body?: unknown,
    { signal, headers: more }: { signal?: AbortSignal | undefined; headers?: Record<string, string> | undefined } = {},
  ): Promise<HttpAnswer> {
    const headers = identify(method, fullPath);
    if (body !== undefined) headers["content-type"] = "application/json";
    Object.assign(headers, more);
    const response = await fetch(`${address}${fullPath}`, {
      method,
      headers,
      ...(signal !== undefined && { signal }),
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json") ?? false;
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : null };
  }

  return {
    projectId,
    send,
    sendTo,
    async open(path) {
      const fullPath = `${prefix}${path}`;
      const asked = request(`${address}${fullPath}`, { headers: identify("GET", fullPath) }).end();
      const [answer] = (await once(asked, "response")) as [IncomingMessage];
      return answer;
    },
    async createDataset(dataset) {
      const { status, body } = await send("POST", "/datasets", dataset);
      expect(status).toBe(201);
      return body._id;
    },
    async createRun(datasetId, more = {}) {
      const { status, body } = await send("POST", "/runs", { datasetId, ...more });
      expect(status).toBe(201);
      return body.runId;
    },
    submit: (runId, results, batchId = "batch-1", signal) =>
      sendTo("POST", `${prefix}/runs/${runId}/results`, { batchId, results }, { signal }),
    finalize: (runId, body) => send("POST", `/runs/${runId}/finalize`, body),
    async readRun(runId) {
      const { status, body } = await send("GET", `/runs/${runId}`);
      expect(status).toBe(200);
      return body;
    },
  };
}

/** A run of a new dataset. */
export async function startRun(client: ProjectClient, dataset: object = { name: "Orders" }): Promise<string> {
  return client.createRun(await client.createDataset(dataset));
}
