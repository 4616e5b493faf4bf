import { randomUUID } from "node:crypto";
import { type Bus, type Call, connectBus } from "@touchstone/bus";
import { identityHeader, requestIdHeader, scoreResult } from "@touchstone/contracts";
import { createIdentitySigner, createLogger, createMetrics, type Service, systemClock } from "@touchstone/service-kit";
import { expect, vi } from "vitest";
import type { z } from "zod";
import { createEvalRuns, readEvalRunsConfig } from "../src/index.ts";
import type { Timings } from "../src/timings.ts";

export const rootSecret = "a root secret of the installation, long enough";
export const quiet = createLogger({ service: "eval-runs", level: "silent" });
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
  send(method: "GET" | "POST", path: string, body?: unknown): Promise<HttpAnswer>;
  createDataset(dataset: object): Promise<string>;
  createRun(datasetId: string, more?: object): Promise<string>;
  submit(runId: string, results: readonly object[], batchId?: string, signal?: AbortSignal): Promise<HttpAnswer>;
  finalize(runId: string, body?: object): Promise<HttpAnswer>;
  readRun(runId: string): Promise<HttpAnswer["body"]>;
}

export interface RunningService {
  service: Service;
  address: string;
  metricsText(): Promise<string>;
}

/** Starts the service on its own ports and waits until it is ready (or only started). */
export async function startEvalRuns(options: {
  databaseUrl: string;
  natsUrl: string;
  timings?: Partial<Timings>;
  untilReady?: boolean;
}): Promise<RunningService> {
  const { config } = readEvalRunsConfig({
    PORT: "0",
    SERVICE_DB_URL: options.databaseUrl,
    SERVICE_NATS_URL: options.natsUrl,
    SERVICE_INTERNAL_SECRET: rootSecret,
  });
  const metrics = createMetrics();
  const service = createEvalRuns(
    { ...config, timings: { ...config.timings, ...options.timings } },
    { logger: quiet, clock: systemClock, metrics },
  );
  const { address } = await service.start();
  if (options.untilReady !== false) {
    await vi.waitFor(async () => expect(await service.readiness()).toMatchObject({ ready: true }), 20_000);
  }
  return { service, address: address as string, metricsText: () => metrics.metrics() };
}

/** A project of its own, reached at one address of the service. */
export function createProjectClient(address: string, projectId: string = randomUUID()): ProjectClient {
  const sign = createIdentitySigner({ issuer: "gateway", audience: "eval-runs", rootSecret, clock: systemClock });

  async function send(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<HttpAnswer> {
    const fullPath = `${prefix}${path}`;
    const requestId = randomUUID();
    const claims = { projectId, organizationId: null, userId: null, role: "key", requestId } as const;
    const headers: Record<string, string> = {
      [identityHeader]: sign({ ...claims, method, path: fullPath }),
      [requestIdHeader]: requestId,
    };
    if (body !== undefined) headers["content-type"] = "application/json";
    const response = await fetch(`${address}${fullPath}`, {
      method,
      headers,
      ...(signal !== undefined && { signal }),
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
  }

  return {
    projectId,
    send,
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
      send("POST", `/runs/${runId}/results`, { batchId, results }, signal),
    finalize: (runId, body) => send("POST", `/runs/${runId}/finalize`, body),
    async readRun(runId) {
      const { status, body } = await send("GET", `/runs/${runId}`);
      expect(status).toBe(200);
      return body;
    },
  };
}

export type JudgeBody = z.output<typeof scoreResult.body>;
export type JudgeReply = z.input<typeof scoreResult.reply>;

/** A member of the judges' queue group that does as a test says. */
export interface FakeJudge {
  /** What it was asked, in order. */
  asked: JudgeBody[];
  /** How many requests are in its hands at this moment. */
  atWork(): number;
  /** From now on; by default every output is rated 7. */
  behave(behaviour: (body: JudgeBody, call: Call) => Promise<JudgeReply> | JudgeReply): void;
  bus: Bus;
  stop(): Promise<void>;
}

/** The reply of a judge that gives one rating and no metrics. */
export function rate(rating: number, justification = "Because."): JudgeReply {
  const verdict = { judgeId: "primary", model: "fake", durationMs: 1, reason: null };
  return { verdicts: [{ ...verdict, status: "scored", rating, justification }], similarity: {} };
}

export async function startFakeJudge(natsUrl: string, concurrency = 64): Promise<FakeJudge> {
  const bus = connectBus({ url: natsUrl, service: "judge", logger: quiet });
  const asked: JudgeBody[] = [];
  let working = 0;
  let behaviour: Parameters<FakeJudge["behave"]>[0] = () => rate(7);
  await bus.answer(
    scoreResult,
    async (body, call) => {
      asked.push(body);
      working += 1;
      try {
        return await behaviour(body, call);
      } finally {
        working -= 1;
      }
    },
    { concurrency },
  );
  await vi.waitFor(() => expect(bus.status()).toBe("connected"), 10_000);
  return {
    asked,
    atWork: () => working,
    behave(next) {
      behaviour = next;
    },
    bus,
    stop: () => bus.drain(),
  };
}

/** A promise and the function that fulfils it: how a test holds a judge until it says go. */
export function createGate(): { opened: Promise<void>; open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** Waits for a condition that another process or connection brings about. */
export async function until(condition: () => void | Promise<void>, timeoutMs = 20_000): Promise<void> {
  await vi.waitFor(condition, { timeout: timeoutMs, interval: 10 });
}
