import { AppError } from "@touchstone/service-kit";
import type { NamedGraders } from "./submitted-run.ts";

/**
 * Looks the graders up that a run names besides its dataset (completions 5.1). No project has grading configs, scorer
 * groups or judge scorers in this version, so each one named is unknown and answered as such.
 */
export function requireGraders(graders: NamedGraders): void {
  if (graders.evaluationSettingsId !== null) throw new AppError("not_found", "Evaluation settings not found");
  if (graders.scorerGroupId !== null) throw new AppError("not_found", "Scorer group not found");
  const [scorerId] = graders.additionalScorerIds;
  if (scorerId !== undefined) throw new AppError("not_found", `Judge scorer not found: ${scorerId}`);
}
