import { type JudgedTrace, limits, type PatternCondition } from "@touchstone/contracts";
import type { PatternSource, TraceTexts } from "./pattern.ts";

type ReadTrace = Pick<JudgedTrace, "input" | "output" | "error"> & {
  trajectory: Pick<JudgedTrace["trajectory"], "toolCalls">;
};

/**
 * What is read of a trace, for {@link readTraceTexts}: enough to see that a text is longer than what is looked at, also where half
 * a character is cut off.
 */
export const checkedContent = { contentMaxChars: limits.checkedTextMaxChars + 2 };

/** What is looked at of a trace. */
export interface CheckedTexts {
  texts: TraceTexts;
  /** Which of them are the beginning of a longer one. */
  cut: readonly PatternSource[];
}

const textOf = (value: unknown): string =>
  value === undefined || value === null ? "" : typeof value === "string" ? value : JSON.stringify(value);

/**
 * What patterns look at: the answer, the question, and the answer with the error and what its tools gave and were given. Of each
 * text the first `limits.checkedTextMaxChars` characters.
 */
export function readTraceTexts({ input, output, error, trajectory }: ReadTrace): CheckedTexts {
  const calls = trajectory.toolCalls.flatMap((call) => [call.name, textOf(call.output), textOf(call.input)]);
  const whole: TraceTexts = {
    response: output ?? "",
    userMessage: input ?? "",
    trace: [output ?? "", error ?? "", ...calls].filter((part) => part !== "").join("\n"),
  };
  const begin = (text: string): string => text.slice(0, limits.checkedTextMaxChars);
  return {
    texts: { response: begin(whole.response), userMessage: begin(whole.userMessage), trace: begin(whole.trace) },
    cut: sources.filter((source) => whole[source].length > limits.checkedTextMaxChars),
  };
}

const sources = ["response", "userMessage", "trace"] as const;
const nameOf: Record<PatternSource, string> = {
  response: "response",
  userMessage: "user message",
  trace: "text of the trace",
};

/** What built-in patterns look at, for {@link describeCut}. */
export const builtinLook: Look = { sources: ["response"], detector: "contains" };

type Look = Pick<PatternCondition, "sources" | "detector">;

/** What some conditions do not look at, in sentences; null = they look at everything. */
export function describeCut({ texts, cut }: CheckedTexts, conditions: readonly Look[]): string | null {
  const reads = (source: PatternSource, detectors: readonly string[]): boolean =>
    conditions.some((condition) => condition.sources.includes(source) && detectors.includes(condition.detector));
  const sentences = sources.flatMap((source) => [
    ...(cut.includes(source) && reads(source, ["contains", "phrase"])
      ? [`Only the first ${limits.checkedTextMaxChars} characters of the ${nameOf[source]} were looked at.`]
      : []),
    ...(texts[source].length > limits.matchedTextMaxChars && reads(source, ["regex", "semantic"])
      ? [`Regexes and judges read only the first ${limits.matchedTextMaxChars} characters of the ${nameOf[source]}.`]
      : []),
  ]);
  return sentences.length === 0 ? null : sentences.join(" ");
}
