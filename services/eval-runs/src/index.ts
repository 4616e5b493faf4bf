export { type EvalRunsConfig, readEvalRunsConfig } from "./config.ts";
export { createEvalRuns, type EvalRunsDependencies } from "./service.ts";
