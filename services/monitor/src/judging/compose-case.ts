import type { JudgedTrace, RecordedTurn, scoreResult } from "@touchstone/contracts";
import type { z } from "zod";

type Case = z.input<typeof scoreResult.body>["case"];

/** completions 7.2: the limit of the retrieval context for a judge. */
const contextMaxChars = 12_000;
/** The limit of a conversation for a judge; of a longer one the end is kept. */
const conversationMaxChars = 60_000;

/** A live trace as its judges see it: without a reference; its retrieved texts are the context. */
export function caseOfTrace({ input, output, error, trajectory, retrieval }: JudgedTrace): Case {
  const isFailed = error !== null && (output ?? "").trim() === "";
  return {
    input: input ?? "",
    output: isFailed ? `The agent failed: ${error}` : (output ?? ""),
    expected: null,
    context: retrieval === null ? null : renderContext(retrieval),
    guideline: null,
    trajectory,
  };
}

/** A session as its judges see it: its first question, and the whole conversation. */
export function caseOfSession(turns: readonly RecordedTurn[]): Case {
  return {
    input: turns[0]?.query ?? "",
    output: renderConversation(turns),
    expected: null,
    context: null,
    guideline: "The response is a whole conversation, turn by turn; judge the conversation.",
  };
}

function renderConversation(turns: readonly RecordedTurn[]): string {
  const rendered = turns.map(
    ({ query, actualOutput, error }, index) =>
      `[turn ${index + 1}] User: ${query}\n[turn ${index + 1}] Agent: ${actualOutput ?? (error === null ? "(no answer)" : `(failed: ${error})`)}`,
  );
  const kept: string[] = [];
  let chars = 0;
  for (const turn of rendered.toReversed()) {
    if (chars + turn.length > conversationMaxChars && kept.length > 0) break;
    kept.unshift(turn.slice(0, conversationMaxChars).toWellFormed());
    chars += turn.length;
  }
  const omitted = rendered.length - kept.length;
  return [...(omitted > 0 ? [`(${omitted} earlier turns are left out)`] : []), ...kept].join("\n\n");
}

function renderContext({ source, texts }: NonNullable<JudgedTrace["retrieval"]>): string | null {
  const label = source === "spans" ? "retrieval" : "chunk";
  const text = texts.map((each, index) => `[${label} ${index + 1}] ${each}`).join("\n\n");
  return text.trim() === "" ? null : text.slice(0, contextMaxChars).toWellFormed();
}
