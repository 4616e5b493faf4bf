/**
 * What the judge and a sandbox process say to one another. The judge sends one program at a time: JSON text
 * `[code, scope]`, or `[script, scope, "handler"]` for a script with a `handler`, which is parsed only inside the
 * interpreter. The process answers each with an {@link EvaluationOutcome}.
 */
export type EvaluationOutcome =
  | {
      kind: "scored";
      score: number | null;
      reasoning?: string;
      /** Of a handler only: what it calls its score, and what it says besides, as JSON text. */
      name?: string;
      metadata?: string;
    }
  /** The scorer threw, or returned what is no score; the message is shown as it is. */
  | { kind: "failed"; message: string }
  | { kind: "timeout" }
  | { kind: "memory" }
  /** The interpreter itself broke. */
  | { kind: "crashed" };

/** The limits of one evaluation. */
export interface EvaluationLimits {
  /** When running code is interrupted. The judge kills the process soon after. */
  timeoutMs: number;
  /** All the memory of an interpreter, its own and its input included; a multiple of 64 KiB. */
  memoryBytes: number;
}

/** What a sandbox process gets as its argument, in JSON. */
export interface SandboxArgument extends EvaluationLimits {
  /** Descriptors it was born with and must close first: the judge has them from whoever started it, marked inheritable. */
  strayFds: number[];
  /** The user and group it becomes before it says that it is ready; null: it stays who started it. */
  becomes: number | null;
}

/** The frame a process sends once it can evaluate. */
export const readyFrame = "ready";
