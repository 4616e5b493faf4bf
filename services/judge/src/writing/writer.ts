import type { KeyObject } from "node:crypto";
import type { SkipReason } from "@touchstone/contracts";
import type { Clock } from "@touchstone/service-kit";
import type { AskForJson, JsonQuestion, NoAnswer } from "../prompting/ask-for-json.ts";
import type { ResolveModel } from "../providers/resolve-model.ts";

/** The dependencies of every handler that writes with a model. */
export interface WriterDependencies {
  askForJson: AskForJson;
  resolveModel: ResolveModel;
  fenceSecret: KeyObject;
  clock: Clock;
}

/** A writing task, without its model. */
export type WritingTask<Answer> = Omit<JsonQuestion<Answer>, "route">;

/** The reason why nothing was written, in the form of the contracts. */
export function failureOf({ skipped, because, isPassing, isUnsent }: NoAnswer): {
  reason: SkipReason;
  message: string;
  isPassing?: true;
  isUnsent?: true;
} {
  return { reason: skipped, message: because, ...(isPassing && { isPassing }), ...(isUnsent && { isUnsent }) };
}

/** A strict JSON schema: every member required, and no other. */
export function strictObject(properties: Record<string, unknown>): Record<string, unknown> {
  return { type: "object", properties, required: Object.keys(properties), additionalProperties: false };
}
