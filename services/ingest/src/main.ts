import { runProcess } from "@touchstone/service-kit";
import { readIngestConfig } from "./config.ts";
import { createIngest } from "./service.ts";

await runProcess({ name: "ingest", environment: process.env, read: readIngestConfig, create: createIngest });
