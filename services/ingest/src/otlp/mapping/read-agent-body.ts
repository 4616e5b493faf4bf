import { isRecord, looselyParsed } from "../../messages/json-text.ts";
import type { Message } from "../../messages/message.ts";
import { readMessage } from "../../messages/read-message.ts";
import type { AttributeValue } from "../wire/received-span.ts";
import type { LogContent } from "./log-content.ts";

/**
 * The record that AWS's distribution writes for agents: `{input: {messages}, output: {messages}}` (otlp 7, AgentCore).
 * Null for any other body.
 */
export function readAgentBody(body: AttributeValue): LogContent | null {
  const value = looselyParsed(body);
  if (!isRecord(value)) return null;
  const input = readSide(value.input);
  const output = readSide(value.output);
  if (input === null && output === null) return null;
  return {
    kind: "agent",
    facts: { ...(input === null ? {} : { hasInput: true }), ...(output === null ? {} : { hasOutput: true }) },
    body: { ...(input === null ? {} : { input }), ...(output === null ? {} : { output }) },
  };
}

function readSide(side: unknown): Message[] | null {
  const list = isRecord(side) ? looselyParsed(side.messages) : null;
  if (!Array.isArray(list)) return null;
  const messages = list.filter(isRecord).flatMap((message) => readMessage(unwrap(message)) ?? []);
  return messages.length === 0 ? null : messages;
}

/** The content of these messages is wrapped in an object: `{content}` in prompts, `{message}` in answers. */
function unwrap(message: Record<string, unknown>): Record<string, unknown> {
  const { content } = message;
  if (!isRecord(content)) return message;
  const inner = content.content ?? content.message;
  return inner === undefined ? message : { ...message, content: inner };
}
