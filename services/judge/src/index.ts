export { type JudgeConfig, readJudgeConfig } from "./config.ts";
export { createJudge, type JudgeDependencies } from "./service.ts";
