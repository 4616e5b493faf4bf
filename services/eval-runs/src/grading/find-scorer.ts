import { AppError } from "@touchstone/service-kit";
import { type GradingPlan, rowGradersOf } from "./plan.ts";

/** A judge whose ratings stand beside those of a run. */
export interface NamedScorer {
  id: string;
  name: string | null;
}

/** The additional scorer that is named by its id or name; null when none is. Throws `bad_request` when no plan has it. */
export function findScorer(plans: readonly GradingPlan[], named: string | null): NamedScorer | null {
  if (named === null) return null;
  const graders = plans.flatMap((plan) => rowGradersOf(plan));
  const grader = graders.find(({ id }) => id === named) ?? graders.find(({ name }) => name === named);
  if (grader === undefined) throw new AppError("bad_request", `Unknown scorer "${named}"`);
  return { id: grader.id, name: grader.name };
}
