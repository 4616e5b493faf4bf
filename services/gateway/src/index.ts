export { type GatewayConfig, readGatewayConfig } from "./config.ts";
export { createGateway, type GatewayDependencies } from "./service.ts";
