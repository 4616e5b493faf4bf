export {
  startThrowAwayNatsCluster,
  startThrowAwayPostgres,
  type ThrowAwayNatsCluster,
  type ThrowAwayPostgres,
} from "@touchstone/embedded-servers";
export {
  type BatchBody,
  buildBatch,
  buildDataset,
  buildResult,
  buildTrace,
  type DatasetBody,
  type ResultBody,
  type TraceBody,
} from "./builders.ts";
export { testCertificates } from "./certificates.ts";
export { createScriptedClock, type ScriptedClock } from "./clock.ts";
export { type CommitRefusal, openCommitRefusal } from "./commit-refusal.ts";
export { findFreePort } from "./free-port.ts";
export { gullibleJudge } from "./gullible-judge.ts";
export type { LlmReply } from "./llm-reply.ts";
export { hashLlmKey, type LlmApi, type RecordedLlmRequest } from "./llm-request.ts";
export { startTestNats, type TestNatsOptions } from "./nats.ts";
export { type OwnRedis, requireRedis, startOwnRedis } from "./own-redis.ts";
export { readPageCommands } from "./page-commands.ts";
export { createTestDatabase, type TestDatabase } from "./postgres.ts";
export { openProjectRows, type ProjectRows, type ProjectRowValues } from "./project-rows.ts";
export { comparableRows, requestsOf } from "./request-cuts.ts";
export { type LlmScript, type ScriptedLlm, startScriptedLlm } from "./scripted-llm.ts";
export type { TestNats } from "./test-nats.ts";
export { useStarted, useTestDatabase } from "./use-started.ts";
