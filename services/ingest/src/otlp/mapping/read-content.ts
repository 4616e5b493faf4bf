import type { SpanKind } from "@touchstone/contracts";
import { isRecord, looselyParsed } from "../../messages/json-text.ts";
import type { ToolCall } from "../../messages/message.ts";
import { readToolCall } from "../../messages/message-part.ts";
import { readConversation } from "../../messages/read-conversation.ts";
import { composeMessages } from "../../messages/read-message.ts";
import type { AttributeValue, ReceivedEvent } from "../wire/received-span.ts";
import type { ContentForm, ContentSource } from "./content-sources.ts";
import { readChoiceEvents, readEventList, readPromptEvents, type SpokenEvents } from "./message-events.ts";
import type { SpanFacts } from "./span-facts.ts";

/** Kinds whose values are searched for a conversation; a tool's arguments are not changed. */
export const conversational: ReadonlySet<SpanKind> = new Set(["llm", "agent", "chain", "prompt"]);

/** The value of one source, with its attributes. */
export interface Content {
  /** A JSON value; never undefined or null. */
  value: unknown;
  /** The JSON text of `value`, if it was parsed: it keeps every literal as the producer wrote it. */
  text?: string;
  keys: readonly string[];
  /** The events it comes from. */
  events?: readonly ReceivedEvent[];
}

/** The value of the first source that has one, or null. */
export function readContent(facts: SpanFacts, kind: SpanKind, sources: readonly ContentSource[]): Content | null {
  for (const source of sources) {
    const content = readSource(facts, kind, source);
    if (content !== null) return content;
  }
  return null;
}

function readSource(facts: SpanFacts, kind: SpanKind, source: ContentSource): Content | null {
  switch (source.from) {
    case "attribute":
      return readAttribute(facts, kind, source);
    case "family": {
      const family = facts.family(source.name);
      if (family === null) return null;
      const { role } = source;
      const isSpoken = role !== null && conversational.has(kind);
      return { value: isSpoken ? family.items.map((item) => withRole(item, role)) : family.items, keys: family.keys };
    }
    case "event": {
      const event = facts.events(source.event as string).find(({ attributes }) => attributes.has(source.name));
      const content = parseContent(event?.attributes.get(source.name), []);
      return content === null || event === undefined ? null : { ...content, events: [event] };
    }
    case "composed":
      return readComposed(facts, kind, source.name);
  }
}

/** OpenLLMetry states no role for the texts of text models, and calls the prompt `user`. */
function withRole(item: unknown, role: string): unknown {
  if (!isRecord(item) || item.role !== undefined) return item;
  if (typeof item.user === "string") return { role: "user", content: item.user };
  return item.content === undefined ? item : { ...item, role };
}

function readAttribute(facts: SpanFacts, kind: SpanKind, source: ContentSource): Content | null {
  const key = source.beside === null ? source.name : attributeName(facts, source.name, source.beside);
  const given = key === null ? undefined : facts.value(key);
  if (key === null || given === undefined) return null;
  if ((source.rootOnly && !facts.isRoot) || (source.kind !== null && source.kind !== kind)) return null;
  return readForm(facts, key, given, source.form);
}

function attributeName(facts: SpanFacts, name: string, beside: string): string | null {
  const neighbour = facts.text(beside);
  return neighbour === undefined ? null : name.replace("*", () => neighbour.replaceAll('"', ""));
}

function readForm(facts: SpanFacts, key: string, given: AttributeValue, form: ContentForm | null): Content | null {
  const keys = [key];
  switch (form) {
    case "text":
      return { value: given, keys };
    case "mime": {
      const mime = facts.text(key.replace(/\.value$/, ".mime_type"));
      return mime?.startsWith("text/") ? { value: given, keys } : parseContent(given, keys);
    }
    case "typed":
      return isTypedText(facts, key) ? { value: given, keys } : parseContent(given, keys);
    case "arguments":
      return unwrapArguments(parseContent(given, keys));
    case "unwrapped":
      return unwrapOnly(parseContent(given, keys), ["input", "output", "outputs"]);
    case "result": {
      const content = parseContent(given, keys);
      return isRecord(content?.value) && typeof content.value.text === "string" && content.value.text !== ""
        ? { value: content.value.text, keys }
        : content;
    }
    case "list":
      return { value: Array.isArray(given) ? given.map(looselyParsed) : looselyParsed(given), keys };
    case "before answer":
    case "answer":
      return splitConversation(facts, key, form);
    case "prompts":
    case "choices": {
      const messages = readEventList(facts.parsed(key), form);
      return messages === null ? null : { value: messages, keys };
    }
    case "request": {
      const content = parseContent(given, keys);
      return hasMember(content?.value, ["messages", "input", "prompt"]) ? content : null;
    }
    case "response":
      return readLogfireResponse(parseContent(given, keys));
    case null:
      return parseContent(given, keys);
  }
}

/** A value under rule J of otlp 5.1; null if it is empty. */
export function parseContent(given: unknown, keys: readonly string[]): Content | null {
  if (given === undefined) return null;
  const value = looselyParsed(given);
  if (value === null || value === "" || value === undefined) return null;
  // ADK writes an empty object for no content.
  if (isRecord(value) && Object.keys(value).length === 0 && given === "{}") return null;
  const wasParsed = typeof given === "string" && value !== given;
  return wasParsed ? { value, text: given.trim(), keys } : { value, keys };
}

function unwrapArguments(content: Content | null): Content | null {
  const value = content?.value;
  if (content === null || !isRecord(value) || !Array.isArray(value.args)) return content;
  const named = isRecord(value.kwargs) ? Object.keys(value.kwargs).length : 0;
  if (named > 0 || value.args.length > 1) return content;
  return value.args.length === 0 ? null : present(value.args[0], content.keys);
}

function unwrapOnly(content: Content | null, names: readonly string[]): Content | null {
  if (content === null || !isRecord(content.value)) return content;
  const [name, ...others] = Object.keys(content.value);
  if (name === undefined || others.length > 0 || !names.includes(name)) return content;
  return present(content.value[name], content.keys);
}

/** A text beside usage, or an object with a message; usage alone is no answer. The usage stays among the attributes. */
function readLogfireResponse(content: Content | null): Content | null {
  const value = content?.value;
  if (!isRecord(value)) return null;
  const text = value.text ?? value.combined_chunk_content;
  if (typeof text === "string" && text !== "") return { value: text, keys: [] };
  return hasMember(value, ["message", "images"]) ? content : null;
}

function hasMember(value: unknown, names: readonly string[]): boolean {
  return isRecord(value) && names.some((name) => value[name] !== undefined && value[name] !== null);
}

function present(value: unknown, keys: readonly string[]): Content | null {
  return value === null || value === undefined || value === "" ? null : { value, keys };
}

function splitConversation(facts: SpanFacts, key: string, form: "before answer" | "answer"): Content | null {
  const messages = readConversation(facts.parsed(key))?.messages;
  if (messages === undefined) return null;
  const lastTurn = messages.findLastIndex(({ role }) => role === "user");
  const part = form === "answer" ? messages.slice(lastTurn + 1) : messages.slice(0, lastTurn + 1);
  return part.length === 0 ? null : { value: part, keys: [key] };
}

function readComposed(facts: SpanFacts, kind: SpanKind, reader: string): Content | null {
  switch (reader) {
    case "prompt events":
      return fromEvents(readPromptEvents(facts), kind);
    case "choice events":
      return fromEvents(readChoiceEvents(facts), kind);
    case "function parameters":
      return readFunctionParameters(facts);
    default:
      return readVercelResponse(facts);
  }
}

/** Tool events carry bare arguments and results in the content of a message. */
function fromEvents({ messages, events }: SpokenEvents, kind: SpanKind): Content | null {
  if (messages.length === 0) return null;
  if (kind !== "tool") return { value: messages, keys: [], events };
  const said = messages.at(-1)?.content;
  const content = typeof said === "string" ? parseContent(said, []) : present(said, []);
  return content === null ? null : { ...content, events };
}

const parameterPrefix = "code.function.parameters.";
const parameterSuffix = ".value";

/** OpenTelemetry's instrumentation of Google's SDK spreads the arguments of a tool over attributes, beside their number. */
function readFunctionParameters(facts: SpanFacts): Content | null {
  if (facts.value("code.args.keyword.count") === undefined) return null;
  const keys = [...facts.attributes.keys()].filter(
    (key) => key.startsWith(parameterPrefix) && key.endsWith(parameterSuffix),
  );
  if (keys.length === 0) return null;
  const parameters = keys.map((key) => {
    const given = facts.attributes.get(key);
    const value = isTypedText(facts, key) ? given : looselyParsed(given);
    return [key.slice(parameterPrefix.length, -parameterSuffix.length), value] as const;
  });
  return { value: Object.fromEntries(parameters), keys };
}

/** A text of Python is what it says; any other value may be encoded as JSON. */
function isTypedText(facts: SpanFacts, key: string): boolean {
  return facts.text(key.replace(/value$/, "type")) === "str";
}

/** The AI SDK spreads an answer over several attributes, named `ai.result.*` before version 4. */
function readVercelResponse(facts: SpanFacts): Content | null {
  for (const prefix of ["ai.response", "ai.result"]) {
    const object = parseContent(facts.value(`${prefix}.object`), [`${prefix}.object`]);
    if (object !== null) return object;
    const text = facts.text(`${prefix}.text`);
    const given = facts.parsed(`${prefix}.toolCalls`);
    const calls: ToolCall[] = Array.isArray(given) ? given.filter(isRecord).map(readToolCall) : [];
    const keys = [`${prefix}.text`, `${prefix}.toolCalls`];
    if (calls.length > 0) return { value: composeMessages("assistant", text ?? null, calls), keys };
    if (text !== undefined) return { value: text, keys };
  }
  return null;
}

/** The JSON text of a content: the producer's if there is one, else serialised. */
export function contentText(content: Content): string {
  const { text, value } = content;
  // A lone surrogate cannot be stored in UTF-8; JSON.stringify escapes it.
  if (text?.isWellFormed()) return text;
  return JSON.stringify(value);
}
