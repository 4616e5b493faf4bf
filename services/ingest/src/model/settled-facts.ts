import type { SettledTrace, StoredTrace } from "@touchstone/contracts";
import type { JsonText } from "./span.ts";
import { readCallOutcomes } from "./tool-calls.ts";

/** What `event.trace.settled.v1` says of a root beyond what announced it. */
export type SettledFacts = Omit<SettledTrace, keyof StoredTrace>;

/** A root as its detail shows it. */
export interface ShownRoot {
  sessionId: string | null;
  framework: string | null;
  model: string | null;
  latencyMs: number | null;
  hasError: boolean;
  output: JsonText | null;
  /** In their stored form, or as derived of its trace. */
  toolCalls: JsonText | null;
}

/** The facts of a root that live checks go by. */
export function readSettledFacts(root: ShownRoot): SettledFacts {
  const { sessionId, framework, model, latencyMs, hasError } = root;
  const calls = readCallOutcomes(root.toolCalls);
  const failedTools = new Set(calls.filter(({ hasFailed }) => hasFailed).map(({ name }) => name));
  return {
    sessionId,
    framework,
    model,
    latencyMs,
    hasError,
    isOutputEmpty: isEmpty(root.output),
    failedTools: [...failedTools],
    toolCalls: calls.length,
  };
}

/**
 * The same as the members of a JSON object, each with a comma behind it, so that the store puts them in front of what
 * announced the root.
 */
export function writeSettledFacts(root: ShownRoot): string {
  return `${JSON.stringify(readSettledFacts(root)).slice(1, -1)},`;
}

/** Nothing, or a text of white space. Only what begins like one is read. */
function isEmpty(output: JsonText | null): boolean {
  if (output === null || output === "null") return true;
  if (!/^"(?:[\s\\]|$|")/.test(output)) return false;
  return (JSON.parse(output) as string).trim() === "";
}
