import type { SkipReason } from "@touchstone/contracts";
import type { Logger } from "@touchstone/service-kit";
import type { CallOptions, Provider } from "../providers/provider.ts";
import { ProviderFailure, type ProviderFailureKind } from "../providers/provider-failure.ts";
import type { ModelRoute } from "../providers/resolve-model.ts";
import type { JudgeQuestion } from "../providers/wire-apis.ts";
import { JudgeBudgetError } from "../quota/judge-budget.ts";
import { type Exchange, type ExchangeRecorder, recordExchange } from "./exchange.ts";

/** A question whose answer is one JSON object, and how that answer is read. */
export interface JsonQuestion<Answer> extends Omit<JudgeQuestion, "model"> {
  /** Which model is asked, and where. */
  route: ModelRoute;
  /** Makes a reply into an answer, or null when it is of no use. Must not throw, whatever the text is. */
  read(text: string): Answer | null;
  /** Follows the prompt when the first reply was of no use. Never quotes that reply, which nobody can vouch for. */
  repair: string;
  /** What the client is told when neither reply was of use. */
  unusable: string;
}

/** An answer, with the provider's key cut out of its texts, or why there is none, in words for the client. */
type Outcome<Answer> = { answer: Answer } | { skipped: SkipReason; because: string };

/** The outcome, and what was sent and came back for it; null: nothing was sent. */
export type Asked<Answer> = Outcome<Answer> & { exchange: Exchange | null };

/** Asks, and asks once more when the reply is of no use (completions 7.4). Never rejects. */
export type AskForJson = <Answer>(question: JsonQuestion<Answer>, call: CallOptions) => Promise<Asked<Answer>>;

export interface AskForJsonOptions {
  logger: Logger;
}

/** The one way in which models are asked for JSON: by judges and by whatever else needs something written. */
export function createAskForJson({ logger }: AskForJsonOptions): AskForJson {
  async function ask<Answer>(
    question: JsonQuestion<Answer>,
    { provider, recorder }: { provider: Provider; recorder: ExchangeRecorder },
    call: CallOptions,
  ): Promise<Outcome<Answer>> {
    const { read, repair, unusable, route, ...asked } = question;
    const { model } = route;
    for (const prompt of [asked.prompt, `${asked.prompt}\n\n${repair}`]) {
      const answer = read(await recorder.ask({ ...asked, model, prompt }, call));
      if (answer !== null) return { answer: changeTexts(answer, provider.redact) };
    }
    return { skipped: "unparseable", because: unusable };
  }

  function explain(thrown: unknown, call: CallOptions): Outcome<never> {
    if (thrown instanceof ProviderFailure) return { skipped: reasonOf(thrown.kind), because: thrown.message };
    if (thrown instanceof JudgeBudgetError) return { skipped: "quota", because: thrown.message };
    if (call.signal.aborted) return { skipped: "timeout", because: "The judge did not answer in time." };
    logger.error({ err: thrown, projectId: call.group }, "asking a judge failed unexpectedly");
    return { skipped: "provider_error", because: "The judge failed unexpectedly." };
  }

  return async (question, call) => {
    const { provider, missing } = question.route;
    if (provider === null) return { ...missing, exchange: null };
    const recorder = recordExchange(provider);
    const outcome = await ask(question, { provider, recorder }, call).catch((thrown) => explain(thrown, call));
    return { ...outcome, exchange: recorder.read() };
  };
}

function reasonOf(kind: ProviderFailureKind): SkipReason {
  if (kind === "timeout") return "timeout";
  return kind === "too_large" ? "too_large" : "provider_error";
}

/** The same value with every text in it changed. Answers are a few levels deep: their readers see to that. */
function changeTexts<Value>(value: Value, change: (text: string) => string): Value {
  if (typeof value === "string") return change(value) as Value;
  if (Array.isArray(value)) return value.map((item) => changeTexts(item, change)) as Value;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, changeTexts(member, change)]),
  ) as Value;
}
