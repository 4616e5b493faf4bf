import { runProcess } from "@touchstone/service-kit";
import { migrator } from "@touchstone/store-service";
import { readEvalRunsConfig } from "./config.ts";
import { evalRunsSchema } from "./schema.ts";
import { createEvalRuns } from "./service.ts";

await runProcess({
  name: "eval-runs",
  environment: process.env,
  read: readEvalRunsConfig,
  create: createEvalRuns,
  migrate: migrator({ database: "SERVICE_EVAL_RUNS_DB_URL", ...evalRunsSchema }),
});
