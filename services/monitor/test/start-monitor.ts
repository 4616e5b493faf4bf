import { randomUUID } from "node:crypto";
import { identityHeader, type Method, requestIdHeader } from "@touchstone/contracts";
import { createIdentitySigner, createMetrics, type Logger, type Service, systemClock } from "@touchstone/service-kit";
import { expect, vi } from "vitest";
import { createMonitor, readMonitorConfig } from "../src/index.ts";
import { quiet } from "./test-store.ts";

export const rootSecret = "a root secret of the installation, long enough";

/** Starts the service on a separate port and waits until it is ready. */
export async function startMonitor(at: {
  databaseUrl: string;
  natsUrl: string;
  ingestUrl: string;
  settings?: Readonly<Record<string, string>>;
  logger?: Logger;
}): Promise<{ service: Service; address: string }> {
  const { config } = readMonitorConfig({
    PORT: "0",
    SERVICE_DB_URL: at.databaseUrl,
    SERVICE_NATS_URL: at.natsUrl,
    SERVICE_INGEST_URL: at.ingestUrl,
    SERVICE_INTERNAL_SECRET: rootSecret,
    ...at.settings,
  });
  const service = createMonitor(config, { logger: at.logger ?? quiet, clock: systemClock, metrics: createMetrics() });
  const { address } = await service.start();
  await vi.waitFor(async () => expect(await service.readiness()).toMatchObject({ ready: true }));
  return { service, address: address as string };
}

export interface HttpAnswer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came.
  body: any;
}

/** A client of one project, speaking as the gateway does. */
export interface ProjectClient {
  projectId: string;
  send(method: Method, path: string, body?: unknown): Promise<HttpAnswer>;
  /** The same project, called by a signed-in user. */
  as(userId: string): ProjectClient;
  lines(path: string): Promise<Record<string, unknown>[]>;
}

/** A separate project, reached at an address of the service. */
export function createProjectClient(address: string): ProjectClient {
  return clientOf(address, randomUUID(), null);
}

function clientOf(address: string, projectId: string, userId: string | null): ProjectClient {
  const sign = createIdentitySigner({ issuer: "gateway", audience: "monitor", rootSecret, clock: systemClock });

  async function fetchText(method: Method, route: string, body?: unknown): Promise<{ status: number; text: string }> {
    const path = `/api/v1${route}`;
    const requestId = randomUUID();
    const claims = {
      projectId,
      organizationId: null,
      userId,
      role: userId === null ? "key" : "member",
      requestId,
    } as const;
    const answer = await fetch(address + path, {
      method,
      headers: {
        [identityHeader]: sign({ ...claims, method, path }),
        [requestIdHeader]: requestId,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, text: await answer.text() };
  }

  return {
    projectId,
    as: (user) => clientOf(address, projectId, user),
    async send(method, path, body) {
      const { status, text } = await fetchText(method, path, body);
      return { status, body: text === "" ? null : JSON.parse(text) };
    },
    async lines(path) {
      const { text } = await fetchText("GET", path);
      return text
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    },
  };
}
