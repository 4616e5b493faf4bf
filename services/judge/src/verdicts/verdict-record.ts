import { costOf, type JudgeRubric, limits, type VerdictRecord } from "@touchstone/contracts";
import { uuidv7 } from "@touchstone/service-kit";
import type { Asked } from "../prompting/ask-for-json.ts";
import { makeStorable } from "../prompting/storable-text.ts";
import type { ModelRoute } from "../providers/resolve-model.ts";
import type { ParsedVerdict } from "./parse-verdict.ts";

/** A record before it is stored, which sets its time. */
export type NewVerdictRecord = Omit<VerdictRecord, "createdAt">;

/** The longest texts of a record (UTF-16 units); longer ones are visibly truncated. */
const { verdictPromptMaxChars: promptMaxChars, verdictReplyMaxChars: replyMaxChars } = limits;
const nameMaxChars = 512;

/** The record of a verdict; null if nothing was sent, since there is nothing to show then. */
export function composeRecord(
  asked: Asked<ParsedVerdict>,
  { route, rubric }: { route: Pick<ModelRoute, "model" | "price">; rubric: JudgeRubric },
): NewVerdictRecord | null {
  const { exchange } = asked;
  if (exchange === null) return null;
  let truncated = false;
  const cut = (text: string, maxChars: number): string => {
    truncated ||= text.length > maxChars;
    return makeStorable(text, maxChars);
  };
  const cutIfAny = (text: string | null, maxChars: number) => (text === null ? null : cut(text, maxChars));
  const { rating, justification } =
    "answer" in asked ? asked.answer : { rating: null, justification: cut(asked.because, replyMaxChars) };
  const { tokens } = exchange;
  return {
    id: uuidv7(Date.now()),
    scorerId: cut(rubric.scorerId ?? rubric.id, nameMaxChars),
    scorerVersion: rubric.version ?? null,
    scorerName: cutIfAny(rubric.name, nameMaxChars),
    model: cut(route.model, nameMaxChars),
    rubric: {
      acceptanceCriteria: cutIfAny(rubric.acceptanceCriteria, replyMaxChars),
      rejectionCriteria: cutIfAny(rubric.rejectionCriteria, replyMaxChars),
      evaluationCriteria: cutIfAny(rubric.evaluationCriteria, replyMaxChars),
      judgePrompt: cutIfAny(rubric.judgePrompt, replyMaxChars),
      toolContext: rubric.toolContext,
      requiresExpected: rubric.requiresExpected,
    },
    instructions: cut(exchange.instructions, promptMaxChars),
    prompt: cut(exchange.prompt, promptMaxChars),
    reply: cutIfAny(exchange.reply, replyMaxChars),
    rating,
    justification,
    skipCode: "answer" in asked ? null : asked.skipped,
    source: "answer" in asked ? "live" : null,
    questions: exchange.questions,
    tokens: { input: tokens.input, output: tokens.output },
    costUSD: costOf(route.price, tokens),
    latencyMs: Math.round(exchange.latencyMs),
    truncated,
  };
}
