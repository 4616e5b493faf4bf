export { type EvalRunsConfig, readEvalRunsConfig } from "./config.ts";
export { createEvalRuns } from "./service.ts";
