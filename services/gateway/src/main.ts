import { runProcess } from "@touchstone/service-kit";
import { readGatewayConfig } from "./config.ts";
import { createGateway } from "./service.ts";

await runProcess({
  name: "gateway",
  environment: process.env,
  read: readGatewayConfig,
  create: (config, dependencies) =>
    createGateway(config, { ...dependencies, print: (line) => process.stdout.write(`${line}\n`) }),
});
