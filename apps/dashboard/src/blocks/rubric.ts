import type { ScorerRef } from "./verdict.ts";

/** The criteria of a judge. An empty text counts as none. */
export interface Rubric {
  evaluationCriteria?: string | null | undefined;
  acceptanceCriteria?: string | null | undefined;
  rejectionCriteria?: string | null | undefined;
  /** A template in place of the built-in one. */
  judgePrompt?: string | null | undefined;
  judgeModel?: string | null | undefined;
  toolContext?: "none" | "simple" | "detailed" | undefined;
  requiresExpected?: boolean | undefined;
}

interface KnownScorer {
  _id: string;
  name: string;
  online: { profileId: string; name?: string | undefined } | null;
}

/**
 * The judge scorer behind a verdict: by its own id, by that of its online evaluator, else by name if the name is unique.
 * Undefined if none is found, for example after its deletion.
 */
export function findScorer<Scorer extends KnownScorer>(ref: ScorerRef, scorers: readonly Scorer[]): Scorer | undefined {
  if (ref.kind !== "judge") return undefined;
  if (ref.settingsId !== null) return scorers.find(({ _id }) => _id === ref.settingsId);
  if (ref.evaluatorId !== null) return scorers.find(({ online }) => online?.profileId === ref.evaluatorId);
  const named = scorers.filter(({ name, online }) => (online?.name ?? name) === ref.name);
  return named.length === 1 ? named[0] : undefined;
}

/** The texts of a rubric with their purposes; empty ones are left out. */
export function textsOf(rubric: Rubric): { key: string; label: string; text: string }[] {
  const all = [
    { key: "evaluationCriteria", label: "What is rated", text: rubric.evaluationCriteria },
    { key: "acceptanceCriteria", label: "Accept when", text: rubric.acceptanceCriteria },
    { key: "rejectionCriteria", label: "Reject when", text: rubric.rejectionCriteria },
    { key: "judgePrompt", label: "Prompt template", text: rubric.judgePrompt },
  ];
  return all.flatMap(({ text, ...rest }) => (text == null || text.trim() === "" ? [] : [{ ...rest, text }]));
}

const toolContexts = {
  none: "Sees the input and the output, nothing of the trace.",
  simple: "Sees the input, the output and the steps of the trace.",
  detailed: "Sees the input, the output, the steps of the trace and the definitions of its tools.",
};

/** The inputs that the judge sees and needs, in sentences. */
export function rulesOf({ toolContext, requiresExpected }: Rubric): string[] {
  return [
    ...(toolContext === undefined ? [] : [toolContexts[toolContext]]),
    ...(requiresExpected ? ["Skips cases without an expected result."] : []),
  ];
}
