/**
 * What an OTel span says that shows only in its trace: what its trace inherits, what tells one call from its twin. Absent = it does not say. Filled where a span is mapped (otlp/mapping/map-span.ts).
 */
export interface TreeFacts {
  /** What it is called when its parent, which it says lives elsewhere, turns out to be here. */
  asChild?: string;
  /** The agent it says it is, or belongs to. */
  agent?: string;
  toolCallId?: string;
  toolName?: string;
  responseId?: string;
  reasoningTokens?: number;
  userId?: string;
  environment?: string;
  tags?: string[];
  /** Its messages ask for calls of tools. */
  callsTools?: true;
}

/**
 * All that a span itself says and its trace is derived from, beside the columns that never change: `spans.facts` as
 * JSON. The columns of the same names show what is shown.
 */
export interface OwnFacts extends Omit<TreeFacts, "responseId" | "reasoningTokens"> {
  name: string;
  model?: string;
  session?: string;
  failed?: true;
  hasInput?: true;
  hasOutput?: true;
}
