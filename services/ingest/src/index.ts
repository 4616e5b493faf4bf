export { type IngestConfig, readIngestConfig } from "./config.ts";
export { createIngest, type IngestDependencies } from "./service.ts";
