import type { Answering, Bus } from "@touchstone/bus";
import { readMembers } from "@touchstone/contracts";
import type { EvaluatorStore } from "../custom-evaluators/evaluator-store.ts";
import { findMembers } from "../group-members/read-members.ts";
import type { PatternStore } from "../patterns/pattern-store.ts";

/** Answers `svc.monitor.read-members.v1` (completions 4.4). */
export function answerReadMembers(
  bus: Bus,
  stores: { patterns: Pick<PatternStore, "list">; evaluators: Pick<EvaluatorStore, "list"> },
  options: { concurrency: number },
): Promise<Answering> {
  return bus.answer(
    readMembers,
    async ({ projectId, members }) => ({ members: await findMembers(stores, projectId, members) }),
    options,
  );
}
