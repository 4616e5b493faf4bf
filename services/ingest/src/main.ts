import { runProcess } from "@touchstone/service-kit";
import { migrator } from "@touchstone/store-service";
import { readIngestConfig } from "./config.ts";
import { ingestSchema } from "./schema.ts";
import { createIngest } from "./service.ts";

await runProcess({
  name: "ingest",
  environment: process.env,
  read: readIngestConfig,
  create: createIngest,
  migrate: migrator({ database: "SERVICE_INGEST_DB_URL", ...ingestSchema }),
});
