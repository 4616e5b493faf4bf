import { runProcess } from "@touchstone/service-kit";
import { migrator } from "@touchstone/store-service";
import { readJudgeConfig } from "./config.ts";
import { judgeSchema } from "./schema.ts";
import { createJudge } from "./service.ts";

await runProcess({
  name: "judge",
  environment: process.env,
  read: readJudgeConfig,
  create: createJudge,
  migrate: migrator({ database: "SERVICE_JUDGE_DB_URL", ...judgeSchema }),
});
