import type { JudgedTrace } from "@touchstone/contracts";
import type { TraceTexts } from "./pattern.ts";

type ReadTrace = Pick<JudgedTrace, "input" | "output" | "error"> & {
  trajectory: Pick<JudgedTrace["trajectory"], "toolCalls">;
};

const text = (value: unknown): string =>
  value === undefined || value === null ? "" : typeof value === "string" ? value : JSON.stringify(value);

/** What patterns look at: the answer, the question, and the answer with the error and what its tools gave and were given. */
export function readTraceTexts({ input, output, error, trajectory }: ReadTrace): TraceTexts {
  const calls = trajectory.toolCalls.flatMap((call) => [call.name, text(call.output), text(call.input)]);
  return {
    response: output ?? "",
    userMessage: input ?? "",
    trace: [output ?? "", error ?? "", ...calls].filter((part) => part !== "").join("\n"),
  };
}
