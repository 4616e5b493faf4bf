import { type JudgeRubric, type KnownMember, limits, type SimilarityRequest } from "@touchstone/contracts";
import { AppError } from "@touchstone/service-kit";

/** One judge: its rubric, with the id of its dataset or grading config, by which runs name it. */
export type Grader = JudgeRubric;

interface Membership {
  refId: string;
  name: string;
  weight: number;
  /** A must-pass member. */
  gate: boolean;
}

/**
 * A member of a scorer group that is a judge (completions 4.4). Its grader is among the group's, unless it was deleted.
 */
export interface JudgeMember extends Membership {
  kind: "judge";
}

/** A member that is a pattern or a custom scorer. */
export interface ScorerMember extends Membership {
  kind: "pattern" | "custom";
  /** Its definition in monitor when the run was created; absent if it was deleted before. */
  definition?: KnownMember["definition"];
}

export type GroupMember = JudgeMember | ScorerMember;

/** The source of a result's rating: one judge, or the score of a group. */
export type PrimaryGrader =
  | { kind: "judge"; grader: Grader }
  | { kind: "group"; groupId: string; name: string; members: readonly GroupMember[]; graders: readonly Grader[] };

/**
 * The complete grading of a run, frozen when it is created: later changes of datasets, configs and groups have no effect. Cases
 * are not included; they come from the dataset version the run was created with.
 */
export interface GradingPlan {
  primary: PrimaryGrader;
  /** Judges whose verdicts are reported beside the rating; none beside a group. */
  additional: readonly Grader[];
  /** Computed for cases with an expected result. */
  metrics: SimilarityRequest;
  /** The enabled ones, at most `limits.codeScorersMax`. */
  codeScorers: readonly { name: string; code: string }[];
}

/** The stored document of a dataset, a grading config or a scorer group, and its id. */
export interface GradingSource {
  id: string;
  /** Only for a grading config. */
  version?: number;
  document: string;
}

/** The graders that a run names besides its dataset; null = none. */
export interface NamedSources {
  settings: GradingSource | null;
  group: GradingSource | null;
  /** The group's judges that exist, by id. */
  groupJudges: ReadonlyMap<string, GradingSource>;
  /** Its existing patterns and custom scorers. */
  groupScorers: readonly KnownMember[];
  additional: readonly GradingSource[];
}

/** A dataset's own grading: its criteria, metrics and code scorers. */
export function planOfDataset(dataset: GradingSource, stored?: StoredDocument): GradingPlan {
  const { grader, metrics, codeScorers } = readSource(dataset, stored);
  return { primary: { kind: "judge", grader }, additional: [], metrics, codeScorers };
}

/**
 * The plan of a run (completions 5.1): grading settings replace all of the dataset's grading; a group replaces the judge,
 * without additional judges; additional judges accompany a single judge.
 */
export function planOfRun(datasetPlan: GradingPlan, named: NamedSources): GradingPlan {
  const plan = named.settings === null ? datasetPlan : planOfDataset(named.settings);
  if (named.group !== null) return { ...plan, primary: readGroup(named.group, named), additional: [] };
  return { ...plan, additional: named.additional.map((source) => readSource(source).grader) };
}

/** The judge of a dataset or a grading config. */
export const graderOf = (source: GradingSource): Grader => readSource(source).grader;

/** Every judge of a result; the primary or the group's come first. */
export function gradersOf({ primary, additional }: GradingPlan): readonly Grader[] {
  return primary.kind === "judge" ? [primary.grader, ...additional] : primary.graders;
}

/** The judges with a separate row beside the rating: the additional ones, or the group's. */
export function rowGradersOf({ primary, additional }: GradingPlan): readonly Grader[] {
  return primary.kind === "judge" ? additional : primary.graders;
}

/** True if a statistic of the run is only in the results' rows: the rating of another judge, or the score of a metric or scorer. */
export function countsRows(plan: GradingPlan): boolean {
  const { jaccard, bleu, rouge, vector } = plan.metrics;
  const scorers = plan.codeScorers.length + scorerMembersOf(plan).length;
  return rowGradersOf(plan).length + scorers > 0 || jaccard || bleu || rouge || vector !== null;
}

/** The members of a group that the judge service does not score, in order. */
export function scorerMembersOf({ primary }: GradingPlan): readonly ScorerMember[] {
  return primary.kind === "judge" ? [] : primary.members.filter((member) => member.kind !== "judge");
}

/** The plan as `runs.plan` stores it. */
export function writePlan(plan: GradingPlan): string {
  return JSON.stringify({ version: 1, ...plan });
}

/** Reads the output of {@link writePlan}. */
export function readPlan(text: string): GradingPlan {
  const { primary, additional, metrics, codeScorers } = JSON.parse(text) as GradingPlan;
  return { primary, additional, metrics, codeScorers };
}

function readGroup(
  { id, document }: GradingSource,
  { groupJudges, groupScorers }: Pick<NamedSources, "groupJudges" | "groupScorers">,
): Extract<PrimaryGrader, { kind: "group" }> {
  const { name, members } = JSON.parse(document) as StoredGroup;
  const graders = new Map([...groupJudges.values()].map((source) => [source.id, readSource(source).grader]));
  return {
    kind: "group",
    groupId: id,
    name,
    members: members.map(({ kind, refId, weight, gate }): GroupMember => {
      if (kind === "judge") return { kind, refId, name: graders.get(refId)?.name ?? refId, weight, gate };
      const known = groupScorers.find((each) => each.kind === kind && each.refId === refId);
      if (known === undefined) return { kind, refId, name: refId, weight, gate };
      return { kind, refId, name: known.name, weight, gate, definition: known.definition };
    }),
    // In the order of the members; a judge that is a member twice is asked once.
    graders: [...new Set(members.flatMap(({ kind, refId }) => (kind === "judge" ? [refId] : [])))].flatMap(
      (refId) => graders.get(refId) ?? [],
    ),
  };
}

function readSource(
  { id, version, document }: GradingSource,
  stored: StoredDocument = JSON.parse(document),
): Pick<GradingPlan, "metrics" | "codeScorers"> & { grader: Grader } {
  return {
    grader: {
      id,
      ...(version !== undefined && { version }),
      name: stored.name,
      model: stored.judgeModel ?? null,
      acceptanceCriteria: stored.acceptanceCriteria ?? null,
      rejectionCriteria: stored.rejectionCriteria ?? null,
      evaluationCriteria: stored.evaluationCriteria ?? null,
      requiresExpected: stored.requiresExpected ?? false,
      judgePrompt: stored.judgePrompt ?? null,
      toolContext: stored.toolContext ?? "simple",
    },
    metrics: {
      jaccard: stored.jaccardSimilarity !== undefined,
      bleu: stored.bleuScore !== undefined,
      rouge: stored.rougeScore !== undefined,
      vector: stored.vectorSimilarity === undefined ? null : { model: stored.vectorSimilarity.model ?? null },
    },
    codeScorers: (stored.codeScorers ?? [])
      .filter((scorer) => scorer.enabled !== false)
      .slice(0, limits.codeScorersMax)
      .map(({ name, code }) => ({
        name: typeof name === "string" && name !== "" ? name : "Untitled scorer",
        code,
      })),
  };
}

/** The grading part of a dataset's document; a grading config's also has its judge's settings. */
export interface StoredDocument {
  name: string;
  acceptanceCriteria?: string;
  rejectionCriteria?: string;
  evaluationCriteria?: string;
  judgePrompt?: string;
  judgeModel?: string;
  toolContext?: Grader["toolContext"];
  requiresExpected?: boolean;
  vectorSimilarity?: { model?: string };
  jaccardSimilarity?: unknown;
  bleuScore?: unknown;
  rougeScore?: unknown;
  codeScorers?: { name?: unknown; enabled?: unknown; code: string }[];
}

interface StoredGroup {
  name: string;
  members: { kind: GroupMember["kind"]; refId: string; weight: number; gate: boolean }[];
}

/** A judge whose ratings are reported beside those of a run. */
interface NamedScorer {
  id: string;
  name: string | null;
}

/** The additional scorer with this id or name; null when none is named. Throws `bad_request` when no plan has it. */
export function findScorer(plans: readonly GradingPlan[], named: string | null): NamedScorer | null {
  if (named === null) return null;
  const graders = plans.flatMap((plan) => rowGradersOf(plan));
  const grader = graders.find(({ id }) => id === named) ?? graders.find(({ name }) => name === named);
  if (grader === undefined) throw new AppError("bad_request", `Unknown scorer "${named}"`);
  return { id: grader.id, name: grader.name };
}
