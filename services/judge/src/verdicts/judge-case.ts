import type { KeyObject } from "node:crypto";
import type { JudgedCase, JudgeRubric, Verdict } from "@touchstone/contracts";
import { type Clock, takeLoopTurnIfLarge } from "@touchstone/service-kit";
import type { AskForJson } from "../prompting/ask-for-json.ts";
import { answerSchema, repair } from "../prompting/templates.ts";
import type { JudgeObserver } from "../providers/observer.ts";
import type { CallOptions } from "../providers/provider.ts";
import type { ModelRoute, ResolveModel } from "../providers/resolve-model.ts";
import { assemblePrompt } from "./assemble-prompt.ts";
import { parseVerdict } from "./parse-verdict.ts";
import type { ReachedVerdict, Verdicts, VerdictTerms } from "./verdicts.ts";

export interface CaseJudgeOptions {
  askForJson: AskForJson;
  verdicts: Verdicts;
  resolveModel: ResolveModel;
  fenceSecret: KeyObject;
  clock: Clock;
  observer: JudgeObserver;
}

/** The requester and the deadline of a case, and its verdict mode. */
export type JudgeCall = CallOptions & VerdictTerms;

/**
 * Applies one rubric to one case. Never rejects: a case that cannot be scored is skipped, with a reason for its reader.
 */
export type CaseJudge = (rubric: JudgeRubric, judged: JudgedCase, call: JudgeCall) => Promise<Verdict>;

/** interface: Result status; completions 5.3, 7.4. */
export function createCaseJudge(options: CaseJudgeOptions): CaseJudge {
  const { askForJson, verdicts, resolveModel, clock, observer } = options;

  async function reachOutcome(
    rubric: JudgeRubric,
    judged: JudgedCase,
    route: ModelRoute,
    call: JudgeCall,
  ): Promise<ReachedVerdict> {
    if (rubric.requiresExpected && (judged.expected ?? "").trim() === "") {
      const because = "This judge needs an expected result, and the case has none.";
      return { skipped: "no_reference", because, verdictId: null };
    }
    const unresolved: ReachedVerdict = { ...route.missing, verdictId: null };
    // A search for another model would find its ratings, or a miss that is none.
    if (route.isGuess && rubric.model === null) return unresolved;
    const reached = await verdicts.reach({ route, rubric, judged }, call, async () => {
      await takeLoopTurnIfLarge(sizeOf(judged));
      const { instructions, prompt } = assemblePrompt(judged, rubric, options.fenceSecret);
      const unusable = "Judge returned no usable rating";
      return askForJson({ route, instructions, prompt, answerSchema, read: parseVerdict, repair, unusable }, call);
    });
    // A custom model's ratings are stored under its endpoint, which is unknown.
    const isMiss = "skipped" in reached && reached.skipped === "replay_miss";
    return route.isGuess && isMiss ? unresolved : reached;
  }

  return async (rubric, judged, call) => {
    const startedAtMs = clock.now();
    // A replay calls no provider: recorded verdicts are found without keys.
    const route = await resolveModel(rubric.model, call, { waits: call.mode !== "replay" });
    const { model } = route;
    // All results of a batch arrive together.
    await takeLoopTurnIfLarge(sizeOf(judged));
    const outcome = await reachOutcome(rubric, judged, route, call);
    const durationMs = Math.max(0, clock.now() - startedAtMs);
    const shared = { judgeId: rubric.id, model, durationMs, verdictId: outcome.verdictId };
    const verdict: Verdict =
      "answer" in outcome
        ? { ...shared, status: "scored", ...outcome.answer, reason: null, source: outcome.source }
        : {
            ...shared,
            status: "skipped",
            rating: null,
            justification: outcome.because,
            reason: outcome.skipped,
            ...(outcome.isPassing && { isPassing: true }),
            ...(outcome.isUnsent && { isUnsent: true }),
            source: null,
          };
    observer.verdictGiven({ status: verdict.status, reason: verdict.reason, durationMs });
    return verdict;
  };
}

/** The characters of a case's long texts. */
function sizeOf({ input, output, expected, context }: JudgedCase): number {
  return input.length + output.length + (expected?.length ?? 0) + (context?.length ?? 0);
}
