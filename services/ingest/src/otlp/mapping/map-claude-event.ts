import { looselyParsed } from "../../messages/json-text.ts";
import { type LogContent, type LogFacts, optional } from "./log-content.ts";
import { readNumber, readText } from "./read-source.ts";
import type { SpanFacts } from "./span-facts.ts";

/** Claude Code's placeholder if the user did not allow contents to be sent. */
const redacted = "<REDACTED>";

/** Names that tool outputs have had. */
const toolOutputNames = ["tool_output", "tool_result", "output", "result"];
const toolInputNames = ["tool_input", "tool_parameters"];

const readers: Readonly<Record<string, (facts: SpanFacts) => LogContent | null>> = {
  user_prompt(facts) {
    const content = spoken(facts, ["prompt", "prompt_text"]);
    if (content === null) return null;
    return claude({ hasInput: true }, { inputMessages: [{ role: "user", content }] });
  },
  assistant_response(facts) {
    const content = spoken(facts, ["response", "response_text"]);
    if (content === null) return null;
    return claude({ hasOutput: true }, { outputMessages: [{ role: "assistant", content }] });
  },
  // The span of the request has the usage; counting it here would count it twice.
  api_request(facts) {
    const costUSD = readNumber(facts, ["cost_usd"]) ?? 0;
    return costUSD > 0 ? claude({}, { costUSD }) : null;
  },
  tool_result(facts) {
    const error = readText(facts, ["error", "error_type"]);
    const toolCall = {
      ...optional("id", readText(facts, ["tool_use_id", "gen_ai.tool.call.id"])),
      name: readText(facts, ["tool_name", "gen_ai.tool.name"]) ?? "",
      ...optional("input", firstValue(facts, toolInputNames)),
      ...optional("output", firstValue(facts, toolOutputNames)),
      success: String(facts.value("success") ?? error === null) !== "false",
      ...optional("latencyMs", readNumber(facts, ["duration_ms"])),
      ...optional("error", error),
    };
    return claude({}, { toolCall });
  },
};

/** Maps what Claude Code reports only in logs: prompt, answer, cost and tool results (otlp 7, 8). */
export function mapClaudeEvent(name: string, { facts }: LogFacts): LogContent | null {
  return Object.hasOwn(readers, name) ? (readers[name]?.(facts) ?? null) : null;
}

function claude(facts: LogContent["facts"], body: LogContent["body"]): LogContent {
  return { kind: "claude-code", facts, body };
}

function spoken(facts: SpanFacts, names: readonly string[]): string | null {
  for (const name of names) {
    const text = facts.text(name);
    if (text !== undefined && text !== redacted) return text;
  }
  return null;
}

function firstValue(facts: SpanFacts, names: readonly string[]): unknown {
  for (const name of names) {
    const value = facts.value(name);
    if (value !== undefined && value !== redacted) return looselyParsed(value);
  }
  return null;
}
