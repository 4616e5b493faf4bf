import { isRecord, looselyParsed } from "./json-text.ts";
import type { ToolCall } from "./message.ts";

/** One part of a message's content, in any dialect. */
export type Part =
  | { kind: "text"; text: string }
  | { kind: "reasoning"; text: string }
  | { kind: "tool_call"; call: ToolCall }
  | { kind: "tool_result"; id: string | null; content: string }
  | { kind: "other"; value: unknown };

/**
 * Reads one part in the dialects of otlp 5.1: GenAI semantic conventions, OpenAI chat and Responses, Anthropic,
 * Gemini, Bedrock, AI SDK, LangChain, Genkit and Pydantic AI.
 */
export function readPart(part: unknown): Part {
  if (typeof part === "string") return { kind: "text", text: part };
  if (!isRecord(part)) return { kind: "other", value: part };
  const type = typeof part.type === "string" ? part.type : typeof part.part_kind === "string" ? part.part_kind : "";
  return readTypedPart(type, part) ?? readKeyedPart(part) ?? { kind: "other", value: part };
}

function readTypedPart(type: string, part: Record<string, unknown>): Part | null {
  switch (type) {
    case "text":
    case "input_text":
    case "output_text":
      return textPart("text", part.text ?? part.content);
    case "reasoning":
    case "thinking":
    case "reasoning_content":
      return textPart("reasoning", part.text ?? part.content ?? part.thinking ?? part.reasoning);
    case "tool_call":
    case "tool-call":
    case "tool_use":
    case "toolUse":
    case "server_tool_use":
      return { kind: "tool_call", call: readToolCall(part) };
    case "tool_call_response":
    case "tool-result":
    case "tool_result":
    case "toolResult":
    case "tool-return":
      return readToolResult(part);
    default:
      return null;
  }
}

/** The members that an untyped text part may have. An object with more members is data that happens to have a text. */
const textPartKeys = new Set(["text", "thought", "thoughtSignature", "thought_signature"]);

/** Gemini, Bedrock and Genkit name the part by its only key; Gemini adds `thought` and a signature to text. */
function readKeyedPart(part: Record<string, unknown>): Part | null {
  const call = part.functionCall ?? part.function_call ?? part.toolUse ?? part.toolRequest;
  if (isRecord(call)) return { kind: "tool_call", call: readToolCall(call) };
  const result = part.functionResponse ?? part.function_response ?? part.toolResult ?? part.toolResponse;
  if (isRecord(result)) return readToolResult(result);
  const isText = typeof part.text === "string" && Object.keys(part).every((key) => textPartKeys.has(key));
  return isText ? { kind: part.thought === true ? "reasoning" : "text", text: part.text as string } : null;
}

function textPart(kind: "text" | "reasoning", text: unknown): Part | null {
  return typeof text === "string" ? { kind, text } : null;
}

/** A call in any dialect; a missing name is "". */
export function readToolCall(call: Record<string, unknown>): ToolCall {
  const inner = isRecord(call.function) ? call.function : call;
  const given =
    inner.arguments ?? inner.args ?? inner.input ?? inner.parameters ?? (inner === call ? undefined : call.arguments);
  return {
    id: firstText(call.id, call.toolCallId, call.tool_call_id, call.toolUseId, call.call_id, call.ref),
    name: firstText(inner.name, inner.toolName, inner.tool_name) ?? "",
    arguments: given === undefined || given === null ? {} : looselyParsed(given),
  };
}

/** The result of a call; the GenAI schema calls it `response`, the registry's own example `result`. */
function readToolResult(part: Record<string, unknown>): Part {
  const given = part.response ?? part.result ?? part.output ?? part.content;
  return {
    kind: "tool_result",
    id: firstText(
      part.id,
      part.toolCallId,
      part.tool_call_id,
      part.tool_use_id,
      part.toolUseId,
      part.call_id,
      part.ref,
    ),
    content: resultText(given),
  };
}

/** Results are text to a model: lists of text parts are joined, other values become JSON. */
export function resultText(given: unknown): string {
  if (typeof given === "string") return given;
  if (given === undefined || given === null) return "";
  // The AI SDK wraps a result in its kind: {type: "json" | "text" | "error-text", value}.
  if (isRecord(given) && typeof given.type === "string" && "value" in given) return resultText(given.value);
  if (Array.isArray(given) && given.length > 0) {
    const parts = given.map(readPart);
    if (parts.every((part) => part.kind === "text")) return parts.map((part) => part.text).join("");
    if (given.length === 1 && isRecord(given[0]) && "json" in given[0]) return resultText(given[0].json);
  }
  return JSON.stringify(given);
}

function firstText(...candidates: unknown[]): string | null {
  for (const candidate of candidates) {
    if (typeof candidate === "string" && candidate !== "") return candidate;
  }
  return null;
}
