/**
 * The protocol between the judge and a sandbox process. The judge sends one program at a time: JSON text `[code, scope]`, or
 * `[script, scope, "handler"]` for a script with a `handler`, which is parsed only inside the interpreter. The process answers
 * each with an {@link EvaluationOutcome}.
 */
export type EvaluationOutcome =
  | {
      kind: "scored";
      score: number | null;
      reasoning?: string;
      /** Only from a handler: the name of its score, and its metadata as JSON text. */
      name?: string;
      metadata?: string;
    }
  /** The scorer threw, or returned an invalid score; the message is shown unchanged. */
  | { kind: "failed"; message: string }
  | { kind: "timeout" }
  | { kind: "memory" }
  /** The interpreter itself broke. */
  | { kind: "crashed" };

/** The limits of one evaluation. */
export interface EvaluationLimits {
  /** The time after which running code is interrupted. The judge kills the process soon after. */
  timeoutMs: number;
  /** The total memory of an interpreter, including its code and its input; a multiple of 64 KiB. */
  memoryBytes: number;
}

/** The argument of a sandbox process, as JSON. */
export interface SandboxArgument extends EvaluationLimits {
  /** Inherited descriptors to close first: the judge's parent left them open and inheritable. */
  strayFds: number[];
  /** The user and group to switch to before it reports ready; null: no switch. */
  becomes: number | null;
}

/** The frame a process sends once it can evaluate. */
export const readyFrame = "ready";
