export { findFreePort } from "@touchstone/embedded-servers";
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
export { createScriptedClock, type ScriptedClock } from "./clock.ts";
export { gullibleJudge } from "./gullible-judge.ts";
export { startTestNats, type TestNats, type TestNatsOptions } from "./nats.ts";
export { createTestDatabase, type TestDatabase } from "./postgres.ts";
export { requireRedis } from "./redis.ts";
export {
  hashLlmKey,
  type LlmApi,
  type LlmReply,
  type LlmScript,
  type RecordedLlmRequest,
  type ScriptedLlm,
  startScriptedLlm,
} from "./scripted-llm.ts";
