import type { SpanKind } from "@touchstone/contracts";
import { isRecord } from "../../messages/json-text.ts";
import { withInstructions } from "../../messages/message.ts";
import { type Conversation, readConversation, readInstructions } from "../../messages/read-conversation.ts";
import { type ShapedContent, showInput, showOutput, showsText } from "../../messages/show-content.ts";
import { type ContentSource, inputSources, outputSources } from "./content-sources.ts";
import { type Content, contentText, conversational, parseContent, readContent } from "./read-content.ts";
import type { SpanFacts } from "./span-facts.ts";

const nothing: ShapedContent = { json: null, messages: null };

/**
 * The input of a span for people and judges (otlp 5.4). Model calls: the whole conversation, instructions first. Agents
 * and chains: the last user message. Other kinds: the value itself.
 */
export function shapeInput(facts: SpanFacts, kind: SpanKind): ShapedContent {
  const found = readSide(facts, kind, inputSources);
  if (found !== null && found.conversation === null) return { json: contentText(found.content), messages: null };
  const instructions = conversational.has(kind) ? readInstructions(facts.parsed("gen_ai.system_instructions")) : [];
  const messages = withInstructions(found?.conversation?.messages ?? [], instructions);
  // An agent's instructions alone are not its input.
  if (messages.length === 0 || (found === null && showsText(kind))) return nothing;
  facts.consume("gen_ai.system_instructions");
  return showInput(messages, kind);
}

/**
 * The output of a span (otlp 5.4). Model calls: the answer's text if it is only text, else the message. Agents and
 * chains: the text of the last answer, without tool calls, their results and reasoning.
 */
export function shapeOutput(facts: SpanFacts, kind: SpanKind): ShapedContent {
  const found = readSide(facts, kind, outputSources);
  if (found === null) return nothing;
  const { content, conversation } = found;
  if (conversation === null) {
    const returned = kind === "tool" ? toolMessageContent(content.value) : null;
    return { json: returned ?? contentText(content), messages: null };
  }
  return showOutput(conversation.messages, kind);
}

function readSide(
  facts: SpanFacts,
  kind: SpanKind,
  sources: readonly ContentSource[],
): { content: Content; conversation: Conversation | null } | null {
  const content = readContent(facts, kind, sources);
  if (content === null) return null;
  const conversation = conversational.has(kind) ? readConversation(content.value) : null;
  // Content outside the conversation stays readable among the attributes.
  if (conversation?.complete !== false) facts.consume(content.keys);
  facts.consumeEvents(content.events ?? []);
  return { content, conversation };
}

/** LangChain returns a tool's result inside a serialised ToolMessage; this unwraps the result. */
function toolMessageContent(value: unknown): string | null {
  const message = isRecord(value) && isRecord(value.output) ? value.output : value;
  if (!isRecord(message) || !Array.isArray(message.id) || message.id.at(-1) !== "ToolMessage") return null;
  if (!isRecord(message.kwargs)) return null;
  const content = parseContent(message.kwargs.content, []);
  return content === null ? null : contentText(content);
}
