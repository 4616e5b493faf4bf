import { createLogger, createMetrics, runProcess, systemClock } from "@touchstone/service-kit";
import { readJudgeConfig } from "./config.ts";
import { createJudge } from "./service.ts";

await runProcess(() => {
  const { config, warnings } = readJudgeConfig(process.env);
  const logger = createLogger({ service: "judge", level: config.logLevel });
  for (const warning of warnings) logger.warn(warning);
  const service = createJudge(config, { logger, clock: systemClock, metrics: createMetrics() });
  return { service, logger, stopWithinMs: config.stopWithinMs };
});
