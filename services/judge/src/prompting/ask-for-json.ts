import type { SkipReason } from "@touchstone/contracts";
import type { Logger } from "@touchstone/service-kit";
import type { CallOptions, Provider } from "../providers/provider.ts";
import { ProviderFailure, type ProviderFailureKind } from "../providers/provider-failure.ts";
import type { ModelRoute } from "../providers/resolve-model.ts";
import type { JudgeQuestion } from "../providers/wire-apis.ts";
import { JudgeBudgetError } from "../quota/judge-budget.ts";
import { type Exchange, type ExchangeRecorder, recordExchange } from "./exchange.ts";

/** A question whose answer is one JSON object, with the reader of the answer. */
export interface JsonQuestion<Answer> extends Omit<JudgeQuestion, "model"> {
  /** The model and its provider. */
  route: ModelRoute;
  /** Parses a reply into an answer; null when it is unusable. Must not throw for any text. */
  read(text: string): Answer | null;
  /** Appended to the prompt after an unusable reply. Never quotes that reply, which is untrusted. */
  repair: string;
  /** The message for the client when both replies are unusable. */
  unusable: string;
}

/** An answer, with the provider's key removed from its texts, or the reason for none, in words for the client. */
type Outcome<Answer> = { answer: Answer } | NoAnswer;

/** Why there is no answer, in words for the client. */
export interface NoAnswer {
  skipped: SkipReason;
  because: string;
  /** The quota could not be counted, which does not mean that it is spent. */
  isPassing?: true;
  /** No question was sent to the provider, which keeps failing or has too many to answer. */
  isUnsent?: true;
}

/** The outcome, with the request and the reply; null: nothing was sent. */
export type Asked<Answer> = Outcome<Answer> & { exchange: Exchange | null };

/** Asks, and asks once more after an unusable reply (completions 7.4). Never rejects. */
export type AskForJson = <Answer>(question: JsonQuestion<Answer>, call: CallOptions) => Promise<Asked<Answer>>;

export interface AskForJsonOptions {
  logger: Logger;
}

/** The only way to ask models for JSON, for judging and for all writing. */
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

  function explain(thrown: unknown, recorder: ExchangeRecorder, call: CallOptions): Outcome<never> {
    if (thrown instanceof ProviderFailure) {
      const isUnsent = recorder.read() === null;
      return { skipped: reasonOf(thrown.kind), because: thrown.message, ...(isUnsent && { isUnsent }) };
    }
    if (thrown instanceof JudgeBudgetError) {
      return { skipped: "quota", because: thrown.message, ...(thrown.isPassing && { isPassing: true }) };
    }
    if (call.signal.aborted) return { skipped: "timeout", because: "The judge did not answer in time." };
    logger.error({ err: thrown, projectId: call.group }, "asking a judge failed unexpectedly");
    return { skipped: "provider_error", because: "The judge failed unexpectedly." };
  }

  return async (question, call) => {
    const { provider, missing } = question.route;
    if (provider === null) return { ...missing, exchange: null };
    const recorder = recordExchange(provider);
    const outcome = await ask(question, { provider, recorder }, call).catch((thrown) =>
      explain(thrown, recorder, call),
    );
    return { ...outcome, exchange: recorder.read() };
  };
}

function reasonOf(kind: ProviderFailureKind): SkipReason {
  if (kind === "timeout") return "timeout";
  return kind === "too_large" ? "too_large" : "provider_error";
}

/**
 * The same value with `change` applied to every text in it. Answers are only a few levels deep: their readers ensure that.
 */
function changeTexts<Value>(value: Value, change: (text: string) => string): Value {
  if (typeof value === "string") return change(value) as Value;
  if (Array.isArray(value)) return value.map((item) => changeTexts(item, change)) as Value;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, changeTexts(member, change)]),
  ) as Value;
}
