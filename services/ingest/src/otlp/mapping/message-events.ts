import { isRecord, looselyParsed } from "../../messages/json-text.ts";
import type { Message } from "../../messages/message.ts";
import { readPart } from "../../messages/message-part.ts";
import { knownRole, readMessage } from "../../messages/read-message.ts";
import type { ReceivedEvent } from "../wire/received-span.ts";
import type { SpanFacts } from "./span-facts.ts";

const assistantEvent = "gen_ai.assistant.message";

/** Events of the prompt, by name; `gen_ai.choice` is the answer (semantic conventions 1.28 to 1.36). */
const promptRoles: ReadonlyMap<string, string> = new Map([
  ["gen_ai.system.message", "system"],
  ["gen_ai.user.message", "user"],
  [assistantEvent, "assistant"],
  ["gen_ai.tool.message", "tool"],
]);

const choiceEvent = "gen_ai.choice";

/** Messages and the events they come from, in the order they were sent. */
export interface SpokenEvents {
  messages: Message[];
  events: readonly ReceivedEvent[];
}

export function readPromptEvents(facts: SpanFacts): SpokenEvents {
  const events = facts.span.events.filter(({ name }) => promptRoles.has(name));
  return { messages: events.flatMap(readSpokenEvent), events };
}

export function readChoiceEvents(facts: SpanFacts): SpokenEvents {
  const events = facts.events(choiceEvent);
  return { messages: events.flatMap(readSpokenEvent), events };
}

/** The side of the conversation that events of a name belong to; null: neither. */
export function sideOfEvent(name: string): "input" | "output" | null {
  if (name === choiceEvent) return "output";
  return promptRoles.has(name) ? "input" : null;
}

/** The messages of one event that {@link sideOfEvent} knows, from a span or a log record. */
export function readSpokenEvent(event: Pick<ReceivedEvent, "name" | "attributes">): Message[] {
  const body = eventBody(event.attributes);
  if (event.name === choiceEvent) return readChoice(body);
  return readMessage({ ...body, role: promptRoles.get(event.name) }) ?? [];
}

/** Pydantic AI's first format, and Logfire's: the same events as one JSON list, each with its name in `event.name`. */
export function readEventList(value: unknown, wanted: "prompts" | "choices"): Message[] | null {
  if (!Array.isArray(value)) return null;
  const events = value.filter(isRecord).filter((event) => sideOfEvent(listedName(event)) !== null);
  const messages = splitEvents(events)[wanted].flatMap((event) => {
    const name = listedName(event);
    if (name === choiceEvent) return readChoice(event);
    return readMessage({ ...event, role: promptRoles.get(name) }) ?? [];
  });
  return messages.length === 0 ? null : messages;
}

type ListedEvent = Record<string, unknown>;

/** Logfire lists no choices for the Responses API: the assistant's messages at the end are the answer. */
function splitEvents(events: readonly ListedEvent[]): Record<"prompts" | "choices", readonly ListedEvent[]> {
  const isChoice = (event: ListedEvent) => listedName(event) === choiceEvent;
  const choices = events.filter(isChoice);
  if (choices.length > 0) return { prompts: events.filter((event) => !isChoice(event)), choices };
  const answerAt = events.findLastIndex((event) => listedName(event) !== assistantEvent) + 1;
  return { prompts: events.slice(0, answerAt), choices: events.slice(answerAt) };
}

/** Logfire lists Google's events without a name: an answer has a reason to finish, a prompt has a role. */
function listedName(event: ListedEvent): string {
  const name = event["event.name"];
  if (typeof name === "string") return name;
  return "finish_reason" in event ? choiceEvent : `gen_ai.${knownRole(event.role)}.message`;
}

/** What messages say, and what may be beside it. `text` is in answers too. */
const spokenMembers = ["content", "parts", "tool_calls", "toolCalls", "function_call", "refusal"];
const besideMembers = ["role", "id", "index", "finish_reason"];

/** The answer is in `message`, as an object, text or parts, or it is the body itself. */
function readChoice(body: Record<string, unknown>): Message[] {
  const message = readAnswer(body.message);
  const spoken = isRecord(message) ? message : { ...body, content: message ?? body.content };
  return readMessage({ ...spoken, role: "assistant" }) ?? [];
}

/** JSON text may be a message or its parts; any other object, list or number is the text of the answer. */
function readAnswer(given: unknown): unknown {
  const value = looselyParsed(given);
  if (typeof given !== "string" || typeof value === "string" || value === null) return value;
  const isSpoken = Array.isArray(value) ? isListOfParts(value) : isRecord(value) && isMessage(value);
  return isSpoken ? value : given;
}

/** An answer without content is an empty list; a part that is not known may be among others. */
function isListOfParts(list: readonly unknown[]): boolean {
  return list.length === 0 || list.some((part) => isRecord(part) && readPart(part).kind !== "other");
}

/** An answer that is an object itself may have members of the same names, such as `role` and `content`. */
function isMessage(value: Record<string, unknown>): boolean {
  const members = Object.keys(value);
  if (!members.some((member) => spokenMembers.includes(member))) return false;
  if (value.role !== undefined) return knownRole(value.role) !== undefined;
  return members.every((member) => spokenMembers.includes(member) || besideMembers.includes(member));
}

/**
 * A body may be spread over the event's attributes or be one JSON text, in `event_body` as Logfire writes it; Strands encodes each
 * of its members again.
 */
function eventBody(attributes: ReceivedEvent["attributes"]): Record<string, unknown> {
  const whole = looselyParsed(attributes.get("gen_ai.event.content") ?? attributes.get("event_body"));
  const body = isRecord(whole) ? { ...whole } : { content: whole };
  return { ...body, ...Object.fromEntries(attributes) };
}
