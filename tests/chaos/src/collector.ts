import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { startGuardian } from "@touchstone/embedded-servers";
import { findFreePort } from "@touchstone/testkit";
import { buildGoProgram } from "../../../tools/go-program.ts";
import { waitUntil } from "../../integration/src/wait-until.ts";
import { thisRepository } from "./installation.ts";

/** The exporters of `deploy/collector.yaml`. */
export type CollectorExporter = "otlp_http" | "otlp_grpc";

/** An OpenTelemetry Collector with `deploy/collector.yaml`, and a queue on disk that survives a kill. */
export interface Collector {
  /** Where its receiver takes OTLP/HTTP. */
  url: string;
  /** The log of all its processes. */
  log(): string;
  /** The sum of a metric of its current process, over all labels; 0 before the first count. */
  readMetric(name: string): Promise<number>;
  /** kill -9, and a new process with the same queue. */
  killAndRestart(): Promise<void>;
  stop(): Promise<void>;
}

export async function startCollector(options: {
  exporter: CollectorExporter;
  gatewayUrl: string;
  grpcPort: number;
  apiKey: string;
  queueBytes: number;
}): Promise<Collector> {
  const executable = buildGoProgram({ module: "tools/collector", program: ".", name: "otelcol" });
  const storage = await mkdtemp(path.join(tmpdir(), "touchstone-collector-"));
  const guardian = startGuardian();
  const httpPort = await findFreePort();
  const metricsUrl = `http://127.0.0.1:${await findFreePort()}/metrics`;
  const environment = {
    TOUCHSTONE_EXPORTER: options.exporter,
    TOUCHSTONE_URL: options.gatewayUrl,
    TOUCHSTONE_GRPC_ENDPOINT: `127.0.0.1:${options.grpcPort}`,
    TOUCHSTONE_API_KEY: options.apiKey,
    COLLECTOR_STORAGE: storage,
    COLLECTOR_QUEUE_BYTES: String(options.queueBytes),
    COLLECTOR_HTTP_ENDPOINT: `127.0.0.1:${httpPort}`,
    COLLECTOR_GRPC_ENDPOINT: `127.0.0.1:${await findFreePort()}`,
    COLLECTOR_METRICS_PORT: new URL(metricsUrl).port,
  };
  let log = "";
  let child: ChildProcess;
  let exited: Promise<unknown>;

  async function start(): Promise<void> {
    child = spawn(executable, ["--config", path.join(thisRepository, "deploy/collector.yaml")], {
      env: environment,
      stdio: ["ignore", "ignore", "pipe"],
    });
    exited = new Promise((resolve) => child.once("close", resolve));
    child.stderr?.on("data", (chunk: Buffer) => (log += chunk));
    await guardian.watch([{ pid: child.pid as number, politeSignal: "TERM", forcefulSignal: "KILL" }]);
    await waitUntil("the Collector serves its metrics", async () => {
      if (child.exitCode !== null) throw new Error(log.slice(-4_000));
      return (await fetch(metricsUrl)).ok;
    });
  }

  async function stop(): Promise<void> {
    child.kill("SIGKILL");
    await exited;
    guardian.dismiss();
    await rm(storage, { recursive: true, force: true });
  }

  await start();
  return {
    url: `http://127.0.0.1:${httpPort}`,
    log: () => log,
    async readMetric(name) {
      const lines = (await (await fetch(metricsUrl)).text()).split("\n");
      const values = lines.filter((line) => line.startsWith(`${name}{`)).map((line) => Number(line.split(" ").at(-1)));
      return values.reduce((sum, value) => sum + value, 0);
    },
    async killAndRestart() {
      child.kill("SIGKILL");
      await exited;
      await start();
    },
    stop,
  };
}
