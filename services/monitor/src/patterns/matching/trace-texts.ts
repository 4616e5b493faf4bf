import { type JudgedTrace, limits, type PatternCondition } from "@touchstone/contracts";
import type { PatternSource, TraceTexts } from "./pattern.ts";

type ReadTrace = Pick<JudgedTrace, "input" | "output" | "error"> & {
  trajectory: Pick<JudgedTrace["trajectory"], "toolCalls">;
};

/**
 * The content to read of a trace, for {@link readTraceTexts}: enough to detect that a text is longer than the searched part,
 * even if the cut splits a character.
 */
export const checkedContent = { contentMaxChars: limits.checkedTextMaxChars + 2 };

/** The searched texts of a trace. */
export interface CheckedTexts {
  texts: TraceTexts;
  /** The texts that are the beginning of a longer one. */
  cut: readonly PatternSource[];
}

const textOf = (value: unknown): string =>
  value === undefined || value === null ? "" : typeof value === "string" ? value : JSON.stringify(value);

/**
 * The texts that patterns search: the answer, the question, and the answer with the error and the tools' inputs and outputs.
 * Each is limited to the first `limits.checkedTextMaxChars` characters.
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

/** The texts that built-in patterns search, for {@link describeCut}. */
export const builtinLook: Look = { sources: ["response"], detector: "contains" };

type Look = Pick<PatternCondition, "sources" | "detector">;

/** The parts that conditions do not search, as sentences; null = they search everything. */
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
