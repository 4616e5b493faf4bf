export { ApiError } from "./api-error.ts";
export type { Task, TaskInput, TaskOutput } from "./ask-task.ts";
export { type AnswerOf, bodyOf, Touchstone, type TouchstoneOptions } from "./client.ts";
export type { DatasetChoice, EvaluationCase, StatedCase, StatedDataset } from "./dataset.ts";
export {
  type EvaluateOptions,
  EvaluationError,
  type EvaluationProgress,
  evaluate,
  type Grading,
} from "./evaluate.ts";
export type { EvaluationRun, RunResult } from "./evaluation-run.ts";
export { askGate, type GateOptions, type GateVerdict } from "./gate.ts";
export type { components, operations, paths } from "./schema.gen.ts";
export type { ScoredAnswer, Scorer, ScoreValue } from "./scores.ts";
