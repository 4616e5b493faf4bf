import type { KeyObject } from "node:crypto";
import type { SkipReason } from "@touchstone/contracts";
import type { Clock } from "@touchstone/service-kit";
import type { AskForJson, JsonQuestion } from "../prompting/ask-for-json.ts";
import type { ResolveModel } from "../providers/resolve-model.ts";

/** What every handler needs that has a model write something. */
export interface WriterDependencies {
  askForJson: AskForJson;
  resolveModel: ResolveModel;
  fenceSecret: KeyObject;
  clock: Clock;
}

/** Something to be written, whichever model is going to write it. */
export type WritingTask<Answer> = Omit<JsonQuestion<Answer>, "route">;

/** Why nothing was written, as the contracts have it. */
export function failureOf(asked: { skipped: SkipReason; because: string }): { reason: SkipReason; message: string } {
  return { reason: asked.skipped, message: asked.because };
}

/** A strict JSON schema: every member required, and no other. */
export function strictObject(properties: Record<string, unknown>): Record<string, unknown> {
  return { type: "object", properties, required: Object.keys(properties), additionalProperties: false };
}
