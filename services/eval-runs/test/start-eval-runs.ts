import { createLogger, createMetrics, type Service, systemClock } from "@touchstone/service-kit";
import { expect } from "vitest";
import { createEvalRuns, readEvalRunsConfig } from "../src/index.ts";
import type { Timings } from "../src/timings.ts";
import { until } from "./conditions.ts";

export const rootSecret = "a root secret of the installation, long enough";
export const quiet = createLogger({ service: "eval-runs", level: "silent" });

export interface RunningService {
  service: Service;
  address: string;
  metricsText(): Promise<string>;
}

/** Starts the service on its own ports and waits until it is ready (or only started). */
export async function startEvalRuns(options: {
  databaseUrl: string;
  natsUrl: string;
  /** The address of ingest; by default nothing listens there. */
  ingestUrl?: string;
  timings?: Partial<Timings>;
  /** Whether verdicts on recorded traces are published, to be exported. */
  exportsVerdicts?: boolean;
  untilReady?: boolean;
}): Promise<RunningService> {
  const { config } = readEvalRunsConfig({
    PORT: "0",
    SERVICE_DB_URL: options.databaseUrl,
    SERVICE_NATS_URL: options.natsUrl,
    SERVICE_INTERNAL_SECRET: rootSecret,
    SERVICE_INGEST_URL: options.ingestUrl ?? "http://127.0.0.1:1",
    ...(options.exportsVerdicts && { SERVICE_OTLP_EXPORT_ENDPOINT: "http://127.0.0.1:1" }),
  });
  const metrics = createMetrics();
  const timings = { ...config.timings, ...options.timings };
  // A shorter grace of a stop also shortens the wait for callers.
  const drainMs = Math.min(config.drainMs, timings.stopGraceMs + 1_000);
  const service = createEvalRuns({ ...config, timings, drainMs }, { logger: quiet, clock: systemClock, metrics });
  const { address } = await service.start();
  if (options.untilReady !== false) {
    await until(async () => expect(await service.readiness()).toMatchObject({ ready: true }));
  }
  return { service, address: address as string, metricsText: () => metrics.metrics() };
}
