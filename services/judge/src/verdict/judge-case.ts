import type { JudgedCase, JudgeRubric, SkipReason, Verdict } from "@touchstone/contracts";
import type { Clock, Logger } from "@touchstone/service-kit";
import type { JudgeObserver } from "../observer.ts";
import type { CallOptions, Provider } from "../providers/provider.ts";
import { ProviderFailure, type ProviderFailureKind } from "../providers/provider-failure.ts";
import { assemblePrompt } from "./assemble-prompt.ts";
import { type ParsedVerdict, parseVerdict } from "./parse-verdict.ts";
import { answerSchema, repair } from "./templates.ts";

export interface CaseJudgeOptions {
  /** Null = no key, and no endpoint that does without one. */
  provider: Provider | null;
  defaultModel: string;
  fenceSecret: Buffer;
  clock: Clock;
  logger: Logger;
  observer: JudgeObserver;
}

/** Applies one rubric to one case. Never rejects: what cannot be scored is skipped, with a reason for its reader. */
export type CaseJudge = (rubric: JudgeRubric, judged: JudgedCase, call: CallOptions) => Promise<Verdict>;

type Outcome = { scored: ParsedVerdict } | { skipped: SkipReason; because: string };

/** interface: Result status; completions 5.3, 7.4. */
export function createCaseJudge(options: CaseJudgeOptions): CaseJudge {
  const { provider, clock, logger, observer } = options;

  async function reachOutcome(
    rubric: JudgeRubric,
    judged: JudgedCase,
    model: string,
    call: CallOptions,
  ): Promise<Outcome> {
    if (rubric.requiresExpected && (judged.expected ?? "").trim() === "") {
      return { skipped: "no_reference", because: "This judge needs an expected result, and the case has none." };
    }
    if (provider === null) {
      return { skipped: "no_key", because: `Judge model "${model}" needs an OpenAI API key. Set OPENAI_API_KEY.` };
    }
    const { instructions, prompt } = assemblePrompt(judged, rubric, options.fenceSecret);
    for (const attempt of [prompt, `${prompt}\n\n${repair}`]) {
      const reply = await provider.ask({ model, instructions, prompt: attempt, answerSchema }, call);
      const verdict = parseVerdict(reply);
      if (verdict !== null) {
        return { scored: { rating: verdict.rating, justification: provider.redact(verdict.justification) } };
      }
    }
    return { skipped: "unparseable", because: "Judge returned no usable rating" };
  }

  function explain(thrown: unknown, call: CallOptions, judgeId: string): Outcome {
    if (thrown instanceof ProviderFailure) return { skipped: reasonOf(thrown.kind), because: thrown.message };
    if (call.signal.aborted) return { skipped: "timeout", because: "The judge did not answer in time." };
    logger.error({ err: thrown, judgeId, projectId: call.group }, "judging failed unexpectedly");
    return { skipped: "provider_error", because: "The judge failed unexpectedly." };
  }

  return async (rubric, judged, call) => {
    const startedAtMs = clock.now();
    const model = rubric.model ?? options.defaultModel;
    const outcome = await reachOutcome(rubric, judged, model, call).catch((thrown) => explain(thrown, call, rubric.id));
    const durationMs = Math.max(0, clock.now() - startedAtMs);
    const verdict: Verdict =
      "scored" in outcome
        ? { judgeId: rubric.id, status: "scored", ...outcome.scored, reason: null, model, durationMs }
        : {
            judgeId: rubric.id,
            status: "skipped",
            rating: null,
            justification: outcome.because,
            reason: outcome.skipped,
            model,
            durationMs,
          };
    observer.verdictGiven({ status: verdict.status, reason: verdict.reason, durationMs });
    return verdict;
  };
}

function reasonOf(kind: ProviderFailureKind): SkipReason {
  if (kind === "timeout") return "timeout";
  return kind === "too_large" ? "too_large" : "provider_error";
}
