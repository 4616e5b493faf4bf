import type { SimilarityRequest, scoreMembers, Trajectory, VerdictMode } from "@touchstone/contracts";
import { renderContext } from "@touchstone/service-kit";
import type { z } from "zod";
import type { EvaluationCase } from "../grading/cases.ts";
import { type Grader, type GradingPlan, gradersOf, type ScorerMember, scorerMembersOf } from "../grading/plan.ts";
import type { JudgeRequest, MemberFinding, SubmittedResult } from "./judgement.ts";

/** A member that existed when the run was created. */
export type AskedMember = ScorerMember & { definition: NonNullable<ScorerMember["definition"]> };
export type MembersRequest = z.input<typeof scoreMembers.body>;

/** The metrics by their names in the API and on the bus. */
export const metricNames = [
  ["vectorSimilarity", "vector"],
  ["jaccardSimilarity", "jaccard"],
  ["bleuScore", "bleu"],
  ["rougeScore", "rouge"],
] as const satisfies readonly (readonly [string, keyof SimilarityRequest])[];

const noMetrics: SimilarityRequest = { jaccard: false, bleu: false, rouge: false, vector: null };

/** The metrics of a result: those of the plan, when the case has an expected result (interface: Result row). */
export function metricsFor(plan: GradingPlan, evaluationCase: EvaluationCase | null): SimilarityRequest {
  return (evaluationCase?.expectedResults ?? null) === null ? noMetrics : plan.metrics;
}

/** The parts of the linked trace that judges receive. */
export interface LinkedTrace {
  trajectory: Trajectory;
  /** The error of the trace. */
  error: string | null;
  /** The retrieved texts; null = none. */
  retrieval: { source: "spans" | "metadata"; texts: readonly string[] } | null;
}

/** One result with all inputs of its grading. */
export interface GradedResult {
  plan: GradingPlan;
  /** Null when the question does not exist: it is judged without case data (completions 5.3). */
  evaluationCase: EvaluationCase | null;
  submitted: SubmittedResult;
  /** Null when no trace is linked, or it does not exist. */
  linked: LinkedTrace | null;
  projectId: string;
  organizationId: string | null;
  verdictMode: VerdictMode;
}

/** The request to the judge about one result (completions 5.3), with the findings of its group's other members. */
export function composeJudgeRequest(graded: GradedResult, found: readonly MemberFinding[] = []): JudgeRequest {
  const { plan, evaluationCase, submitted, linked, projectId, organizationId, verdictMode } = graded;
  return {
    projectId,
    organizationId,
    judges: gradersOf(plan).map((grader) => ({ ...grader, id: rubricIdOf(plan, grader), scorerId: grader.id })),
    case: {
      ...composeTexts(graded),
      context: chooseContext(submitted, linked, evaluationCase),
      guideline: evaluationCase?.judgeGuideline ?? null,
      expectedCapabilities: [...(evaluationCase?.expectedCapabilities ?? [])],
      expectedKnowledgeBase: [...(evaluationCase?.expectedKnowledgeBase ?? [])],
      expectedDelegations: [...(evaluationCase?.expectedDelegations ?? [])],
      trajectory: linked?.trajectory ?? null,
    },
    similarity: metricsFor(plan, evaluationCase),
    verdictMode,
    runNumber: submitted.runNumber,
    group: composeGroup(plan, found),
    deterministic: {
      codeScorers: [...plan.codeScorers],
      trajectoryMatch: composeTrajectoryMatch(evaluationCase, linked),
      contextMatch: composeContextMatch(submitted, linked, evaluationCase),
    },
  };
}

/** The request about the members of a group that the judge service does not score, for one result (completions 4.4). */
export function composeMembersRequest(graded: GradedResult, members: readonly AskedMember[]): MembersRequest {
  const { linked, submitted, projectId, organizationId, verdictMode } = graded;
  return {
    projectId,
    organizationId,
    members: members.map(({ kind, refId, name, definition }) => ({ kind, refId, name, definition })),
    case: {
      ...composeTexts(graded),
      error: linked?.error ?? null,
      toolCalls: [...(linked?.trajectory.toolCalls ?? [])],
      traceId: linked === null ? null : submitted.traceId,
    },
    verdictMode,
  };
}

function composeTexts({ submitted, evaluationCase }: Pick<GradedResult, "submitted" | "evaluationCase">) {
  return {
    input: submitted.query ?? evaluationCase?.query ?? "",
    output: submitted.outputText ?? "",
    expected: evaluationCase?.expectedResults ?? null,
  };
}

/** On the bus the primary judge is always `primary`; the others have their ids. */
function rubricIdOf({ primary }: GradingPlan, grader: Grader): string {
  return primary.kind === "judge" && primary.grader === grader ? "primary" : grader.id;
}

/** The rows for the plan's and the case's scorers besides judges, by name and in order (completions 6.1, 6.3, 6.4). */
export function deterministicNamesFor(plan: GradingPlan, evaluationCase: EvaluationCase | null): string[] {
  const { expectedTrajectory = null, expectedRetrievalContext = null } = evaluationCase ?? {};
  return [
    ...plan.codeScorers.map((scorer) => scorer.name),
    ...(expectedTrajectory === null ? [] : [`Trajectory match (${expectedTrajectory.mode})`]),
    ...(expectedRetrievalContext === null ? [] : ["Context match (jaccard)"]),
  ];
}

/** The result's own context, else the linked trace's retrieval, else the case's pinned one. */
function chooseContext(
  { retrievalContext }: SubmittedResult,
  linked: LinkedTrace | null,
  evaluationCase: EvaluationCase | null,
): string | null {
  const recorded = linked?.retrieval;
  return (
    renderContext(retrievalContext) ??
    renderContext(recorded?.texts ?? null, recorded?.source) ??
    renderContext(evaluationCase?.retrievalContext ?? null)
  );
}

function composeGroup(plan: GradingPlan, found: readonly MemberFinding[]): JudgeRequest["group"] {
  const { primary } = plan;
  if (primary.kind === "judge") return null;
  const findings = new Map(scorerMembersOf(plan).map((member, index) => [member, found[index] ?? notFound]));
  const members = primary.members.map((member) => {
    if (member.kind === "judge") return member;
    const { kind, refId, name, weight, gate } = member;
    return { kind, refId, name, weight, gate, ...(findings.get(member) ?? notFound) };
  });
  return { name: primary.name, members };
}

const notFound: MemberFinding = { goodness: null, because: "It did not answer." };

type Deterministic = NonNullable<JudgeRequest["deterministic"]>;

function composeTrajectoryMatch(
  evaluationCase: EvaluationCase | null,
  linked: LinkedTrace | null,
): Deterministic["trajectoryMatch"] {
  const expected = evaluationCase?.expectedTrajectory ?? null;
  return expected === null ? null : { ...expected, linked: linked !== null };
}

/** The retrieved context: the pinned one was not retrieved and is never compared (completions 6.4). */
function composeContextMatch(
  { retrievalContext }: SubmittedResult,
  linked: LinkedTrace | null,
  evaluationCase: EvaluationCase | null,
): Deterministic["contextMatch"] {
  const expected = evaluationCase?.expectedRetrievalContext ?? null;
  if (expected === null) return null;
  const spans = linked?.retrieval?.source === "spans" ? linked.retrieval.texts : null;
  return { expected, actual: joinTexts(retrievalContext) ?? joinTexts(spans) };
}

function joinTexts(texts: string | readonly string[] | null): string | null {
  const joined = typeof texts === "string" ? texts : (texts ?? []).join("\n\n");
  return joined.trim() === "" ? null : joined;
}
