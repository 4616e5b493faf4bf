export { type IngestConfig, readIngestConfig } from "./config.ts";
export { createIngest } from "./service.ts";
