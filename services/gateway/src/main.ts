import { createLogger, createMetrics, runProcess, systemClock } from "@touchstone/service-kit";
import { readGatewayConfig } from "./config.ts";
import { createGateway } from "./service.ts";

await runProcess(() => {
  const { config, warnings } = readGatewayConfig(process.env);
  const logger = createLogger({ service: "gateway", level: config.logLevel });
  for (const warning of warnings) logger.warn(warning);
  const service = createGateway(config, {
    logger,
    clock: systemClock,
    metrics: createMetrics(),
    print: (line) => process.stdout.write(`${line}\n`),
  });
  return { service, logger, stopWithinMs: config.stopWithinMs };
});
