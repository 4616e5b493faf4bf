export { type JudgeConfig, readJudgeConfig } from "./config.ts";
export { createJudge } from "./service.ts";
