import { runProcess } from "@touchstone/service-kit";
import { readJudgeConfig } from "./config.ts";
import { createJudge } from "./service.ts";

await runProcess({ name: "judge", environment: process.env, read: readJudgeConfig, create: createJudge });
