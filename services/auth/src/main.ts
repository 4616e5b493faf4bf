import { createLogger, createMetrics, runProcess, systemClock } from "@touchstone/service-kit";
import { readAuthConfig } from "./config.ts";
import { createAuth } from "./service.ts";

await runProcess(() => {
  const { config, warnings } = readAuthConfig(process.env);
  const logger = createLogger({ service: "auth", level: config.logLevel });
  for (const warning of warnings) logger.warn(warning);
  return { service: createAuth(config, { logger, clock: systemClock, metrics: createMetrics() }), logger };
});
