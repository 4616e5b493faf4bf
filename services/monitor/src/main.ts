import { createLogger, createMetrics, runProcess, systemClock } from "@touchstone/service-kit";
import { readMonitorConfig } from "./config.ts";
import { createMonitor } from "./service.ts";

await runProcess(() => {
  const { config, warnings } = readMonitorConfig(process.env);
  const logger = createLogger({ service: "monitor", level: config.logLevel });
  for (const warning of warnings) logger.warn(warning);
  const service = createMonitor(config, { logger, clock: systemClock, metrics: createMetrics() });
  return { service, logger, stopWithinMs: config.stopWithinMs };
});
