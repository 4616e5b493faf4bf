import { limits } from "@touchstone/contracts/limits";

/**
 * Facts of an OTel span that only its trace uses: inherited values, and keys to detect duplicate calls. Absent = not
 * stated. Set by the mapping (otlp/mapping/map-span.ts).
 */
export interface TreeFacts {
  /** Its name if its parent, stated to be remote, turns out to be in this trace. */
  asChild?: string;
  /** The agent that it is or belongs to, as stated. */
  agent?: string;
  toolCallId?: string;
  toolName?: string;
  responseId?: string;
  reasoningTokens?: number;
  userId?: string;
  environment?: string;
  tags?: string[];
  /** The prompt that it was made with. */
  prompt?: PromptUse;
  /** Its messages ask for calls of tools. */
  callsTools?: true;
  /** Its tokens are the total of its agent's life: earlier runs are in it. */
  countsLifetime?: true;
}

/** A prompt by the name that a span states, and its version; null: the span states none. */
export interface PromptUse {
  name: string;
  version: string | null;
}

/** Null without a name. Both are cut to the limit of the index, longer than prompts of the registry may be called. */
export function toPromptUse(name: string | null, version: string | null): PromptUse | null {
  const cut = (text: string): string =>
    text.slice(0, limits.registryNameMaxChars).replaceAll("\0", "\ufffd").toWellFormed();
  return name === null || name === "" ? null : { name: cut(name), version: version === null ? null : cut(version) };
}

/**
 * The span's own values that derivation needs, besides the columns that never change: `spans.facts` as JSON. The
 * columns of the same names hold the shown values.
 */
export interface OwnFacts extends Omit<TreeFacts, "responseId" | "reasoningTokens" | "prompt"> {
  name: string;
  model?: string;
  session?: string;
  failed?: true;
  hasInput?: true;
  hasOutput?: true;
}
