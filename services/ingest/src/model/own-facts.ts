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
  /** Its messages ask for calls of tools. */
  callsTools?: true;
}

/**
 * The span's own values that derivation needs, besides the columns that never change: `spans.facts` as JSON. The
 * columns of the same names hold the shown values.
 */
export interface OwnFacts extends Omit<TreeFacts, "responseId" | "reasoningTokens"> {
  name: string;
  model?: string;
  session?: string;
  failed?: true;
  hasInput?: true;
  hasOutput?: true;
}
