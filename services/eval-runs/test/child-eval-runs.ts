import { runProcess } from "@touchstone/service-kit";
import { createEvalRuns, readEvalRunsConfig } from "../src/index.ts";

// However the test's process ends, this one does not outlive it.
process.stdin.resume().on("end", () => process.exit());

/** The service as a separate process, to be killed: `main.ts` with leases short enough for a test. */
await runProcess({
  name: "eval-runs",
  environment: process.env,
  read: readEvalRunsConfig,
  create: (config, dependencies) =>
    createEvalRuns({ ...config, timings: { ...config.timings, leaseMs: 1_000, heartbeatMs: 250 } }, dependencies),
});
