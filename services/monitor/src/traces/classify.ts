import type { SettledTrace } from "@touchstone/contracts";
import type { Severity } from "../model/finding.ts";

/** The operational class of a trace, from its own data only (completions 9.3). */
export interface OperationalClass {
  /** `agent-tool-failure:<tool>`, `agent-trace-error`, `empty-agent-response` or `healthy-response`. */
  name: string;
  /** One for each failed tool; none for a healthy trace. */
  events: readonly { patternKey: string; severity: Severity; justification: string }[];
}

/** The class of a trace that does not fail operationally. */
export const healthy = "healthy-response";

/** The first that applies: a failed tool, an error, an empty response. */
export function classifyOperationally(
  trace: Pick<SettledTrace, "failedTools" | "hasError" | "isOutputEmpty">,
): OperationalClass {
  const [firstTool] = trace.failedTools;
  if (firstTool !== undefined) {
    const events = [...new Set(trace.failedTools)].map((tool) => ({
      patternKey: `agent-tool-failure:${tool}`,
      severity: "high" as const,
      justification: `The tool ${tool} failed.`,
    }));
    return { name: `agent-tool-failure:${firstTool}`, events };
  }
  if (trace.hasError) return failing("agent-trace-error", "high", "The trace ended in an error.");
  if (trace.isOutputEmpty) return failing("empty-agent-response", "medium", "The response is empty.");
  return { name: healthy, events: [] };
}

function failing(name: string, severity: Severity, justification: string): OperationalClass {
  return { name, events: [{ patternKey: name, severity, justification }] };
}
