import { createLogger, createMetrics, runProcess, systemClock } from "@touchstone/service-kit";
import { readEvalRunsConfig } from "./config.ts";
import { createEvalRuns } from "./service.ts";

await runProcess(() => {
  const { config, warnings } = readEvalRunsConfig(process.env);
  const logger = createLogger({ service: "eval-runs", level: config.logLevel });
  for (const warning of warnings) logger.warn(warning);
  const service = createEvalRuns(config, { logger, clock: systemClock, metrics: createMetrics() });
  return { service, logger, stopWithinMs: config.stopWithinMs };
});
