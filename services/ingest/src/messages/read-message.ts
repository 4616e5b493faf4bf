import { isRecord, looselyParsed } from "./json-text.ts";
import type { Message, ToolCall } from "./message.ts";
import { readPart, readToolCall, resultText } from "./message-part.ts";

/** Role names; a list of objects with other roles is not a conversation. */
const roles: Readonly<Record<string, string>> = {
  system: "system",
  developer: "developer",
  user: "user",
  human: "user",
  assistant: "assistant",
  ai: "assistant",
  model: "assistant",
  bot: "assistant",
  tool: "tool",
  function: "tool",
};

/** LangChain classes, by the last element of a serialised object's id, including chunks of a stream. */
const langChainRoles: Readonly<Record<string, string>> = {
  SystemMessage: "system",
  HumanMessage: "user",
  AIMessage: "assistant",
  ToolMessage: "tool",
  FunctionMessage: "tool",
  ChatMessage: "user",
};

const pydanticRoles: Readonly<Record<string, string>> = {
  "system-prompt": "system",
  "user-prompt": "user",
  "retry-prompt": "user",
  "tool-return": "tool",
};

/**
 * Converts one message of any dialect to the stored form; null if the value is not a message. One message may become
 * several, since tool results in parts become separate messages: before the text of a user, after that of an assistant.
 */
export function readMessage(value: unknown): Message[] | null {
  if (!isRecord(value)) return null;
  if (value.role === undefined && isRecord(value.message)) return readMessage(value.message);
  return readLangChain(value) ?? readPydantic(value) ?? readResponsesItem(value) ?? readRoleMessage(value);
}

/** Builds messages from the content of one role; accepts text, parts and null. */
export function composeMessages(role: string, content: unknown, calls: ToolCall[] = [], callId?: string): Message[] {
  const kept: unknown[] = [];
  const results: Message[] = [];
  const toolCalls = [...calls];
  // LangChain lists the calls of Anthropic's models beside the content and among its parts.
  const listed = new Set(calls.map(({ id }) => id));
  let onlyText = true;
  for (const part of contentParts(content)) {
    if (part.kind === "tool_call") {
      if (part.call.id === null || !listed.has(part.call.id)) toolCalls.push(part.call);
    } else if (part.kind === "tool_result") results.push(toolMessage(part.content, part.id ?? callId));
    else {
      onlyText &&= part.kind === "text";
      kept.push(part.kind === "other" ? part.value : { type: part.kind, text: part.text });
    }
  }
  const said = kept.length > 0 || toolCalls.length > 0 || results.length === 0;
  if (!said) return results;
  const message: Message = {
    role,
    content: onlyText ? kept.map((part) => (part as { text: string }).text).join("") : kept,
  };
  if (toolCalls.length > 0) message.tool_calls = toolCalls;
  if (callId !== undefined) message.tool_call_id = callId;
  return role === "assistant" ? [message, ...results] : [...results, message];
}

function contentParts(content: unknown): ReturnType<typeof readPart>[] {
  if (content === undefined || content === null) return [];
  return (Array.isArray(content) ? content : [content]).map(readPart);
}

function toolMessage(content: string, id: string | undefined): Message {
  return id === undefined ? { role: "tool", content } : { role: "tool", content, tool_call_id: id };
}

/** The role of messages under its other names too; undefined for anything else. */
export function knownRole(given: unknown): string | undefined {
  return typeof given === "string" ? lookUp(roles, given.toLowerCase()) : undefined;
}

/** `{role, content | parts | contents, tool_calls, tool_call_id}`: OpenAI, Anthropic, GenAI, Gemini and most others. */
function readRoleMessage(value: Record<string, unknown>): Message[] | null {
  const role = knownRole(value.role);
  if (role === undefined) return null;
  // OpenAI's models refuse in another member, beside an empty content.
  const content = value.content ?? value.parts ?? readContents(value.contents) ?? value.text ?? value.refusal;
  const calls = readToolCalls(value.tool_calls ?? value.toolCalls ?? value.toolInvocations);
  if (isRecord(value.function_call)) calls.push(readToolCall(value.function_call));
  if (content === undefined && calls.length === 0 && !("content" in value) && role !== "assistant") return null;
  const parts = partsInText(content);
  if (role !== "tool") return [...readReasoning(role, value), ...composeMessages(role, parts, calls)];
  const id = [value.tool_call_id, value.toolCallId, value.id].find((given) => typeof given === "string");
  if (Array.isArray(parts) && parts.some((part) => readPart(part).kind === "tool_result")) {
    return composeMessages(role, parts, calls, id as string | undefined);
  }
  return [toolMessage(resultText(content), id as string | undefined)];
}

/** DeepSeek, vLLM, LiteLLM and OpenRouter give the reasoning beside the answer; as elsewhere it is a message before that. */
function readReasoning(role: string, { reasoning_content, reasoning }: Record<string, unknown>): Message[] {
  const text = reasoning_content ?? reasoning;
  if (role !== "assistant" || typeof text !== "string" || text === "") return [];
  return composeMessages(role, [{ type: "reasoning", text }]);
}

/** OpenInference spreads parts over `contents.N.message_content`. */
function readContents(contents: unknown): unknown[] | undefined {
  if (!Array.isArray(contents)) return undefined;
  return contents.map((item) => (isRecord(item) && isRecord(item.message_content) ? item.message_content : item));
}

/** OpenLLMetry and Strands write a list of parts as JSON text into the content. */
function partsInText(content: unknown): unknown {
  if (typeof content !== "string" || !/^\s*\[\s*\{/.test(content)) return content;
  const parts = looselyParsed(content);
  return Array.isArray(parts) && parts.every((part) => readPart(part).kind !== "other") ? parts : content;
}

function readToolCalls(calls: unknown): ToolCall[] {
  const list = looselyParsed(calls);
  if (!Array.isArray(list)) return [];
  // LiveKit writes each call as JSON text.
  const given = list.map(looselyParsed).filter(isRecord);
  return given.map((call) => readToolCall(isRecord(call.tool_call) ? call.tool_call : call));
}

/** `{lc, type: "constructor", id: [.., "AIMessage"], kwargs}`, `{type: "human", content}` and `{type, data}`. */
function readLangChain(value: Record<string, unknown>): Message[] | null {
  let role: string | undefined;
  let fields: Record<string, unknown> = value;
  if (value.type === "constructor" && Array.isArray(value.id) && isRecord(value.kwargs)) {
    role = lookUp(langChainRoles, String(value.id.at(-1)).replace(/Chunk$/, ""));
    fields = value.kwargs;
  } else if (value.role === undefined && typeof value.type === "string") {
    role = lookUp(roles, value.type.toLowerCase());
    if (isRecord(value.data)) fields = value.data;
    else if (!("content" in value)) return null;
  }
  if (role === undefined) return null;
  if (role === "tool") {
    const id = typeof fields.tool_call_id === "string" ? fields.tool_call_id : undefined;
    return [toolMessage(resultText(fields.content), id)];
  }
  const calls = readToolCalls(fields.tool_calls);
  const extra = isRecord(fields.additional_kwargs) ? fields.additional_kwargs : {};
  const said = composeMessages(role, fields.content, calls.length > 0 ? calls : readToolCalls(extra.tool_calls));
  return [...readReasoning(role, extra), ...said];
}

/** `{kind: "request" | "response", parts: [{part_kind, content}]}`. */
function readPydantic(value: Record<string, unknown>): Message[] | null {
  if ((value.kind !== "request" && value.kind !== "response") || !Array.isArray(value.parts)) return null;
  if (value.kind === "response") return composeMessages("assistant", value.parts);
  return value.parts.filter(isRecord).flatMap((part) => {
    const role = lookUp(pydanticRoles, String(part.part_kind)) ?? "user";
    if (role !== "tool") return composeMessages(role, part.content);
    return [
      toolMessage(resultText(part.content), typeof part.tool_call_id === "string" ? part.tool_call_id : undefined),
    ];
  });
}

/** Items of OpenAI's Responses API without a role. */
function readResponsesItem(value: Record<string, unknown>): Message[] | null {
  if (value.role !== undefined) return null;
  switch (value.type) {
    case "function_call":
    case "custom_tool_call":
      return composeMessages("assistant", null, [readToolCall({ ...value, id: value.call_id ?? value.id })]);
    case "function_call_output":
    case "custom_tool_call_output":
      return [toolMessage(resultText(value.output), typeof value.call_id === "string" ? value.call_id : undefined)];
    case "reasoning":
      return readReasoningItem(value);
    default:
      return null;
  }
}

/** OpenAI sums its reasoning up or encrypts it; open models write it out. Reasoning that cannot be read is no message. */
function readReasoningItem({ summary, content }: Record<string, unknown>): Message[] {
  const given = [summary, content].find((texts) => Array.isArray(texts) && texts.length > 0);
  const parts = Array.isArray(given) ? given.filter(isRecord).map(({ text }) => ({ type: "reasoning", text })) : [];
  return parts.length === 0 ? [] : composeMessages("assistant", parts);
}

/**
 * Items of the Responses API that mean something only beside messages: references, and what its built-in tools did or were
 * allowed to do, as it was sent. Every new tool has its own types, so they are known by their endings. Null for any other value.
 */
export function readItemBesideMessages(value: unknown): Message[] | null {
  if (!isRecord(value) || value.role !== undefined || typeof value.type !== "string") return null;
  if (value.type === "item_reference") return [];
  if (value.type === "mcp_approval_request") return composeMessages("assistant", [value]);
  if (value.type === "mcp_approval_response") return composeMessages("user", [value]);
  const id = value.call_id ?? value.id;
  if (typeof id !== "string") return null;
  if (value.type === "mcp_list_tools" || value.type.endsWith("_call")) return composeMessages("assistant", [value]);
  return value.type.endsWith("_output") && "output" in value ? [toolMessage(resultText(value.output), id)] : null;
}

function lookUp(table: Readonly<Record<string, string>>, word: string): string | undefined {
  return Object.hasOwn(table, word) ? table[word] : undefined;
}
