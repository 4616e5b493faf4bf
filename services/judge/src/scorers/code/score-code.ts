import type { DeterministicScore, RecordedToolCall } from "@touchstone/contracts";
import type { PlaceRequest } from "@touchstone/service-kit";
import { type Sandbox, sandboxDefaults } from "./sandbox.ts";

/** The variables of a code scorer (completions 6.1). */
export interface CodeScope {
  input: string;
  output: string;
  /** Null = the case has none. */
  expected: string | null;
  /** The tool calls of the linked trace; absent when none is linked. */
  toolCalls: readonly RecordedToolCall[] | undefined;
  /** The judges' ratings of the same result; absent without any. */
  scores: { rating: number | null; judges: Record<string, number> } | undefined;
}

/** The longest program, including the scope: the several forms it takes must fit into an interpreter's memory. */
const programMaxBytes = 8 * 1024 * 1024;

/**
 * Runs code scorers independently, and returns a row for each in request order. Never rejects: a scorer that fails, times out
 * or cannot be run has a null score and an error.
 */
export function createCodeScorer(
  sandbox: Sandbox,
): (
  scorers: readonly { name: string; code: string }[],
  scope: CodeScope,
  request: PlaceRequest,
) => Promise<DeterministicScore[]> {
  return async (scorers, scope, request) => {
    if (scorers.length === 0) return [];
    const scopeText = JSON.stringify(scope);
    return Promise.all(
      scorers.map(async ({ name, code }): Promise<DeterministicScore> => {
        const program = `[${JSON.stringify(code)},${scopeText}]`;
        const failed = (error: string): DeterministicScore => ({ name, score: null, error });
        if (Buffer.byteLength(program) > programMaxBytes) return failed("The result is too large for a code scorer");
        const outcome = await sandbox.evaluate(program, request);
        if (outcome.kind === "failed") return failed(outcome.message);
        if (outcome.kind !== "scored") return failed(errors[outcome.kind]);
        const { score, reasoning } = outcome;
        return reasoning === undefined ? { name, score } : { name, score, reasoning };
      }),
    );
  };
}

const errors = {
  timeout: `Scorer did not finish within ${sandboxDefaults.timeoutMs} ms`,
  memory: `Scorer needed more than ${sandboxDefaults.memoryBytes / (1024 * 1024)} MB of memory`,
  output_too_large: "Scorer returned more than a score may hold",
  crashed: "Scorer broke the sandbox it ran in",
  unavailable: "The sandbox for code scorers could not be started",
  busy: "Too many code scorers are waiting",
  out_of_time: "The time for this result was up before the scorer had run",
} as const;
