import type { JudgedTrace, RecordedTurn, scoreResult } from "@touchstone/contracts";
import { cutVisibly, renderContext } from "@touchstone/service-kit";
import type { z } from "zod";

type Case = z.input<typeof scoreResult.body>["case"];

/** The limit of a conversation for a judge; of a longer one the end is kept. */
const conversationMaxChars = 60_000;

/** A live trace as its judges see it: without a reference; its retrieved texts are the context. */
export function caseOfTrace({ input, output, error, trajectory, retrieval }: JudgedTrace): Case {
  const isFailed = error !== null && (output ?? "").trim() === "";
  return {
    input: input ?? "",
    output: isFailed ? `The agent failed: ${error}` : (output ?? ""),
    expected: null,
    context: retrieval && renderContext(retrieval.texts, retrieval.source),
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
    kept.unshift(cutVisibly(turn, conversationMaxChars));
    chars += turn.length;
  }
  const omitted = rendered.length - kept.length;
  return [
    ...(omitted > 0 ? [`(${omitted} earlier ${omitted === 1 ? "turn is" : "turns are"} left out)`] : []),
    ...kept,
  ].join("\n\n");
}
