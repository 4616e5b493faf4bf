import { limits } from "@touchstone/contracts";
import { type JsonSlice, scanElements, scanMembers, storableText } from "@touchstone/service-kit";
import type { JsonText } from "./span.ts";

/**
 * The stored form of `tool_calls`: the first 50 (interface: Limits), each with camelCase names and the `success` flag
 * that lists show. The texts of all values, and other members of a call, stay as they were sent.
 */
export function readToolCalls(text: JsonText | null): { toolCalls: JsonText | null; problems: string[] } {
  if (text === null) return { toolCalls: null, problems: [] };
  const elements = scanElements(text) ?? [];
  const stray = elements.find(({ type }) => type !== "object");
  if (stray !== undefined) return { toolCalls: null, problems: [`Expected object, received ${stray.type}`] };
  const calls = elements.slice(0, limits.toolCallsMax).map(renameMembers);
  return { toolCalls: `[${calls.join(",")}]`, problems: [] };
}

function renameMembers({ text }: JsonSlice): JsonText {
  const members = new Map(scanMembers(text).members);
  const latency = members.get("latency_ms");
  if (latency !== undefined) members.set("latencyMs", latency);
  members.delete("latency_ms");
  const written = [...members].map(([key, value]) => `${JSON.stringify(key)}:${value.text}`);
  if (!members.has("success")) written.push(`"success":${!reportsError(members.get("error"))}`);
  return `{${written.join(",")}}`;
}

function reportsError(error: JsonSlice | undefined): boolean {
  return error !== undefined && error.type !== "null" && error.text !== '""' && error.text !== "false";
}

/** The outcome of one tool call. */
export interface CallOutcome {
  /** Empty if the call has no name. */
  name: string;
  /** True if the call states that it failed or, without a statement, has an error. */
  hasFailed: boolean;
}

/** Stored rows were validated as JSON on arrival. */
const stored = { isStored: true };

/** The outcomes of calls in stored form, the first 50 (interface: Limits). */
export function readCallOutcomes(toolCalls: JsonText | null): CallOutcome[] {
  const calls = toolCalls === null ? [] : (scanElements(toolCalls, stored) ?? []).slice(0, limits.toolCallsMax);
  return calls.map(({ text }) => {
    const members = scanMembers(text, stored).members ?? new Map<string, JsonSlice>();
    const name = members.get("name");
    const success = members.get("success");
    return {
      name: name?.type === "string" ? storableText(JSON.parse(name.text) as string, limits.traceNameMaxChars) : "",
      hasFailed: success?.type === "boolean" ? success.text === "false" : reportsError(members.get("error")),
    };
  });
}
