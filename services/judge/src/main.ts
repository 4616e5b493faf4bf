import { createLogger, createMetrics, runProcess, systemClock } from "@touchstone/service-kit";
import { readJudgeConfig } from "./config.ts";
import { createJudge } from "./service.ts";

/** The bus gives calls in hand 25 s to finish and hands the rest to another judge; that must fit in. */
const stopWithinMs = 30_000;

await runProcess(() => {
  const { config, warnings } = readJudgeConfig(process.env);
  const logger = createLogger({ service: "judge", level: config.logLevel });
  for (const warning of warnings) logger.warn(warning);
  const service = createJudge(config, { logger, clock: systemClock, metrics: createMetrics() });
  return { service, logger, stopWithinMs };
});
