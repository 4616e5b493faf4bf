import { isUuid } from "@touchstone/contracts";
import type { IngestClient } from "../ingest-client.ts";
import { isIngestUnavailable } from "../judging/judged-subject.ts";
import { type ScoreMember, UnavailableError } from "../judging/member-scorer.ts";
import type { AskEvaluator } from "./ask-evaluator.ts";
import { findingOf, goodnessOf } from "./evaluator.ts";
import type { EvaluatorStore } from "./evaluator-store.ts";

/**
 * Scores members of groups that are custom scorers, regardless of their own enabled state, sample and scope (completions 4.4).
 */
export function createScoreCustomMember(dependencies: {
  evaluators: Pick<EvaluatorStore, "find">;
  ingest: Pick<IngestClient, "readTraceForScripts">;
  askEvaluator: AskEvaluator;
}): ScoreMember {
  const { evaluators, ingest, askEvaluator } = dependencies;
  return async (refId, { projectId, trace: { traceId } }, signal) => {
    const evaluator = isUuid(refId) ? await evaluators.find(projectId, refId) : null;
    if (evaluator === null) return null;
    const { name } = evaluator.document;
    const trace = await ingest.readTraceForScripts(projectId, traceId).catch((thrown: unknown) => {
      throw isIngestUnavailable(thrown) ? new UnavailableError("Ingest is unavailable.") : thrown;
    });
    if (trace === null) return { name, goodness: null, because: "The trace no longer exists." };
    const asked = await askEvaluator({ projectId, ...evaluator }, trace, signal);
    if ("failure" in asked) {
      const { message, kind } = asked.failure;
      if (kind === "away") throw new UnavailableError(message);
      if (kind === "passing") throw new Error(message);
      return { name, goodness: null, because: message };
    }
    const finding = findingOf(evaluator.document, asked.answer);
    if (finding === null) return { name, goodness: null, because: "The script skips this trace." };
    return { name, goodness: goodnessOf(finding), because: null };
  };
}
