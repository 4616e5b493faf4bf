import { runProcess } from "@touchstone/service-kit";
import { migrator } from "@touchstone/store-service";
import { readMonitorConfig } from "./config.ts";
import { monitorSchema } from "./schema.ts";
import { createMonitor } from "./service.ts";

await runProcess({
  name: "monitor",
  environment: process.env,
  read: readMonitorConfig,
  create: createMonitor,
  migrate: migrator({ database: "SERVICE_MONITOR_DB_URL", ...monitorSchema }),
});
