import { runProcess } from "@touchstone/service-kit";
import { readEvalRunsConfig } from "./config.ts";
import { createEvalRuns } from "./service.ts";

await runProcess({ name: "eval-runs", environment: process.env, read: readEvalRunsConfig, create: createEvalRuns });
