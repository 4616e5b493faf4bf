import { createLogger, createMetrics, runProcess, systemClock } from "@touchstone/service-kit";
import { readIngestConfig } from "./config.ts";
import { createIngest } from "./service.ts";

await runProcess(() => {
  const { config, warnings } = readIngestConfig(process.env);
  const logger = createLogger({ service: "ingest", level: config.logLevel });
  for (const warning of warnings) logger.warn(warning);
  const service = createIngest(config, { logger, clock: systemClock, metrics: createMetrics() });
  return { service, logger, stopWithinMs: config.stopWithinMs };
});
