import type { customEvaluatorReply } from "@touchstone/contracts";
import type { z } from "zod";
import type { StoredEvaluator } from "./evaluator.ts";

/** A custom scorer as the API shows it. */
export function renderEvaluator(stored: StoredEvaluator): z.input<typeof customEvaluatorReply>["evaluator"] {
  const { id, document, createdAt, updatedAt } = stored;
  return {
    _id: id,
    ...document,
    agentIds: [...document.agentIds],
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}
