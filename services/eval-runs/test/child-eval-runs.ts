import { createLogger, createMetrics, runProcess, systemClock } from "@touchstone/service-kit";
import { createEvalRuns, readEvalRunsConfig } from "../src/index.ts";

// However the test's process ends, this one does not outlive it.
process.stdin.resume().on("end", () => process.exit());

/** The service as a process of its own, to be killed: `main.ts` with leases short enough for a test. */
await runProcess(() => {
  const { config } = readEvalRunsConfig(process.env);
  const logger = createLogger({ service: "eval-runs", level: config.logLevel });
  const timings = { ...config.timings, leaseMs: 1_000, heartbeatMs: 250 };
  const dependencies = { logger, clock: systemClock, metrics: createMetrics() };
  return { service: createEvalRuns({ ...config, timings }, dependencies), logger };
});
