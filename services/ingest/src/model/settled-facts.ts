import type { SettledTrace, StoredTrace } from "@touchstone/contracts";
import type { JsonText } from "./span.ts";
import { readCallOutcomes } from "./tool-calls.ts";

/** The members of `event.trace.settled.v1` that the stored event does not have. */
export type SettledFacts = Omit<SettledTrace, keyof StoredTrace>;

/** A root as its detail view shows it. */
export interface ShownRoot {
  sessionId: string | null;
  framework: string | null;
  model: string | null;
  latencyMs: number | null;
  hasError: boolean;
  output: JsonText | null;
  /** In stored form, or as derived from its trace. */
  toolCalls: JsonText | null;
}

/** The facts of a root that live checks use. */
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
 * The same as the members of a JSON object, each followed by a comma, so that the store can put them before the members
 * of the stored event.
 */
export function writeSettledFacts(root: ShownRoot): string {
  return `${JSON.stringify(readSettledFacts(root)).slice(1, -1)},`;
}

/** True if absent or only white space. Only its beginning is read. */
function isEmpty(output: JsonText | null): boolean {
  if (output === null || output === "null") return true;
  if (!/^"(?:[\s\\]|$|")/.test(output)) return false;
  return (JSON.parse(output) as string).trim() === "";
}
