import { type createRunReply, isUuid, limits } from "@touchstone/contracts";
import { AppError } from "@touchstone/service-kit";
import type { z } from "zod";
import type { ConfigStore } from "../graders/config-store.ts";
import type { StoredMember } from "../graders/group-document.ts";
import type { GroupStore } from "../graders/group-store.ts";
import type { MemberReader } from "../graders/member-reader.ts";
import { type GradingPlan, type GradingSource, type NamedSources, planOfRun, writePlan } from "../grading/plan.ts";
import type { NamedGraders } from "./submitted-run.ts";

export interface GraderStores {
  configs: Pick<ConfigStore, "readDocuments">;
  groups: Pick<GroupStore, "readDocument">;
  members: MemberReader;
}

/** How a run is graded: the plan as it is stored, and the graders by their ids. */
export interface RunGrading {
  plan: string;
  gradedBy: Pick<z.input<typeof createRunReply>, "evaluationSettingsId" | "scorerGroupId" | "additionalScorerIds">;
}

/** The grading of a run by the graders that it names and those of its dataset. Throws what {@link findGraders} throws. */
export async function composeGrading(
  stores: GraderStores,
  projectId: string,
  ofDataset: GradingPlan,
  graders: NamedGraders,
): Promise<RunGrading> {
  const plan = planOfRun(ofDataset, await findGraders(stores, projectId, graders));
  const { evaluationSettingsId, scorerGroupId } = graders;
  const additionalScorerIds = plan.additional.length === 0 ? null : plan.additional.map((grader) => grader.id);
  return { plan: writePlan(plan), gradedBy: { evaluationSettingsId, scorerGroupId, additionalScorerIds } };
}

/**
 * Looks up the graders that a run names besides its dataset (completions 5.1). Throws `not_found` for the first one that the
 * project does not have, including malformed ids. Throws `service_unavailable` when a group has patterns or custom scorers and
 * monitor is unavailable.
 */
async function findGraders(
  { configs, groups, members }: GraderStores,
  projectId: string,
  { evaluationSettingsId, scorerGroupId, additionalScorerIds }: NamedGraders,
): Promise<NamedSources> {
  const [named, group] = await Promise.all([
    readConfigs([...additionalScorerIds, ...(evaluationSettingsId === null ? [] : [evaluationSettingsId])]),
    scorerGroupId === null ? null : readGroup(scorerGroupId),
  ]);
  const settings = evaluationSettingsId === null ? null : named.get(evaluationSettingsId);
  if (settings === undefined) throw new AppError("not_found", "Evaluation settings not found");
  if (group === undefined) throw new AppError("not_found", "Scorer group not found");
  const additional = additionalScorerIds.map((id) => {
    const scorer = named.get(id);
    if (scorer === undefined) throw new AppError("not_found", `Judge scorer not found: ${id}`);
    return scorer;
  });
  const grouped = group === null ? [] : membersOf(group);
  const [groupJudges, groupScorers] = await Promise.all([
    readConfigs(grouped.flatMap(({ kind, refId }) => (kind === "judge" ? [refId] : []))),
    members.read(projectId, grouped),
  ]);
  requireSmall([settings, group, ...groupJudges.values(), ...additional]);
  return {
    settings,
    group,
    groupJudges,
    groupScorers,
    // No judge is asked twice.
    additional: additional.filter((scorer) => scorer.id !== evaluationSettingsId),
  };

  async function readConfigs(ids: readonly string[]): Promise<Map<string, GradingSource>> {
    const wellFormed = ids.filter(isUuid);
    const found = wellFormed.length === 0 ? [] : await configs.readDocuments(projectId, wellFormed);
    return new Map(found.map((source) => [source.id, source]));
  }

  async function readGroup(id: string): Promise<GradingSource | undefined> {
    const document = isUuid(id) ? await groups.readDocument(projectId, id) : null;
    return document === null ? undefined : { id, document };
  }
}

/** The plan of a run has the texts of all its graders. */
function requireSmall(sources: readonly (GradingSource | null)[]): void {
  const chars = sources.reduce((sum, source) => sum + (source?.document.length ?? 0), 0);
  if (chars <= limits.runGradersMaxChars) return;
  throw new AppError("bad_request", `The graders of a run must have at most ${limits.runGradersMaxChars} characters`);
}

const membersOf = (group: GradingSource): readonly StoredMember[] =>
  (JSON.parse(group.document) as { members: StoredMember[] }).members;
