import {
  type ChatMessage,
  type FoundDocument,
  isRecord,
  type Part,
  parsedText,
  type Speaker,
  type ToolCallPart,
  type ToolResultPart,
} from "./message.ts";
import { readContent, readMessages } from "./messages.ts";

/** The members of a trace or span that contain its conversation. */
export interface SpanTexts {
  name: string;
  spanKind: string;
  input?: unknown;
  output?: unknown;
  toolCalls?: readonly unknown[];
  metadata?: unknown;
}

/** Kinds whose input and output are messages. */
const talking = new Set(["agent", "chain", "llm", "prompt"]);

/**
 * The conversation of one span: its input, its tool calls with their results, its output. Other spans show input and
 * output unchanged.
 */
export function spanMessages(span: SpanTexts): ChatMessage[] {
  if (span.spanKind === "tool") return toolMessages(span);
  const isTalk = talking.has(span.spanKind);
  const whole = storedMessages(span.metadata);
  const before = readSide(whole.input, span.input, isTalk ? "user" : "input");
  const after = readSide(whole.output, span.output, isTalk ? "assistant" : "output");
  const stored = (span.toolCalls ?? []).filter(isRecord).map(readStoredCall);
  const answer = withoutRepeated(before, after);
  if (stored.length <= countCalls([...before, ...answer]))
    return joinResults([...before, ...withResults(answer, stored)]);
  // The messages may contain only the agent's last one; the trace has every call.
  const called: ChatMessage = { speaker: "assistant", parts: stored };
  return joinResults([...before, called, ...withoutCalls(answer, stored)]);
}

/** OpenTelemetry spans keep the whole conversation even if input and output show one text of it. */
function storedMessages(metadata: unknown): { input?: unknown; output?: unknown } {
  const otel = isRecord(metadata) && isRecord(metadata.otel) ? metadata.otel : {};
  return isRecord(otel.messages) ? otel.messages : {};
}

function readSide(stored: unknown, shown: unknown, speaker: Speaker): ChatMessage[] {
  const messages = readMessages(stored) ?? readMessages(shown);
  if (messages !== null) return messages;
  const parts = readShown(shown);
  return parts.length === 0 ? [] : [{ speaker, parts }];
}

function readShown(shown: unknown): Part[] {
  const value = parsedText(shown);
  const documents = readDocuments(value);
  if (documents !== null) return [{ kind: "documents", documents }];
  return typeof value === "string"
    ? readContent(value)
    : value === undefined || value === null
      ? []
      : [{ kind: "json", value }];
}

/** A list of search results: objects with a content or a score. */
function readDocuments(value: unknown): FoundDocument[] | null {
  if (!Array.isArray(value) || value.length === 0) return null;
  const documents: FoundDocument[] = [];
  for (const item of value) {
    if (!isRecord(item)) return null;
    const { metadata } = item;
    const score = [item.score, item.relevance_score, isRecord(metadata) ? metadata.score : null].find(
      (one) => typeof one === "number",
    );
    const content = item.content ?? item.pageContent ?? item.page_content ?? item.text ?? item.document;
    if (content === undefined && score === undefined) return null;
    documents.push({
      id: typeof item.id === "string" ? item.id : null,
      score: typeof score === "number" ? score : null,
      content,
    });
  }
  return documents;
}

function toolMessages({ name, input, output, toolCalls }: SpanTexts): ChatMessage[] {
  const stored = toolCalls?.find(isRecord);
  const call = stored === undefined ? null : readStoredCall(stored);
  const result: ToolResultPart = {
    ...(call?.result ?? { kind: "result", id: null, error: null, latencyMs: null }),
    name: null,
    output: parsedText(output ?? call?.result?.output),
  };
  const hasResult = result.error !== null || (result.output !== undefined && result.output !== null);
  return [
    {
      speaker: "tool",
      parts: [
        {
          kind: "call",
          id: null,
          name: call?.name ?? name,
          input: parsedText(input ?? call?.input),
          ...(hasResult && { result }),
        },
      ],
    },
  ];
}

/** A call as traces store it: `{name, input, output, success, error, latencyMs}`. */
function readStoredCall(stored: Record<string, unknown>): ToolCallPart {
  const error = typeof stored.error === "string" ? stored.error : stored.success === false ? "The call failed." : null;
  const latencyMs = [stored.latencyMs, stored.latency_ms].find((one) => typeof one === "number");
  const call: ToolCallPart = {
    kind: "call",
    id: null,
    name: typeof stored.name === "string" ? stored.name : "tool",
    input: parsedText(stored.input),
  };
  if (error === null && stored.output === undefined && latencyMs === undefined) return call;
  const output = parsedText(stored.output);
  return {
    ...call,
    result: {
      kind: "result",
      id: null,
      name: null,
      output,
      error,
      latencyMs: typeof latencyMs === "number" ? latencyMs : null,
    },
  };
}

/** Some producers repeat the output at the end of the input. */
function withoutRepeated(before: readonly ChatMessage[], after: readonly ChatMessage[]): readonly ChatMessage[] {
  const last = before.at(-1);
  const first = after[0];
  if (last === undefined || first === undefined || after.length > 1 || last.speaker !== first.speaker) return after;
  const [left, right] = [last.parts[0], first.parts[0]];
  const isSame = left?.kind === "text" && right?.kind === "text" && left.text === right.text;
  return isSame && last.parts.length === 1 && first.parts.length === 1 ? [] : after;
}

/** The calls of an answer, each with the stored data of a call of that name. */
function withResults(messages: readonly ChatMessage[], stored: readonly ToolCallPart[]): ChatMessage[] {
  const left = [...stored];
  return messages.map(({ speaker, parts }) => ({
    speaker,
    parts: parts.map((part) => {
      if (part.kind !== "call" || part.result !== undefined) return part;
      const at = left.findIndex(({ name, result }) => name === part.name && result !== undefined);
      const [found] = at === -1 ? [] : left.splice(at, 1);
      return found?.result === undefined ? part : { ...part, result: found.result };
    }),
  }));
}

function withoutCalls(messages: readonly ChatMessage[], stored: readonly ToolCallPart[]): ChatMessage[] {
  const names = new Set(stored.map(({ name }) => name));
  return messages.map(({ speaker, parts }) => ({
    speaker,
    parts: parts.filter((part) => part.kind !== "call" || !names.has(part.name)),
  }));
}

function countCalls(messages: readonly ChatMessage[]): number {
  return messages.reduce((count, { parts }) => count + parts.filter(({ kind }) => kind === "call").length, 0);
}

/** Assigns each result to its call, by its id or else by its name; the others stay separate messages. */
function joinResults(messages: readonly ChatMessage[]): ChatMessage[] {
  const waiting = new Map<string, ToolResultPart[]>();
  for (const { parts } of messages) {
    for (const part of parts) {
      if (part.kind === "result") waiting.set(keyOf(part), [...(waiting.get(keyOf(part)) ?? []), part]);
    }
  }
  const joined = new Set<Part>();
  const called = messages.map(({ speaker, parts }) => ({
    speaker,
    parts: parts.map((part): Part => {
      const result = part.kind === "call" && part.result === undefined ? waiting.get(keyOf(part))?.shift() : undefined;
      if (part.kind !== "call" || result === undefined) return part;
      joined.add(result);
      return { ...part, result };
    }),
  }));
  return called
    .map(({ speaker, parts }) => ({ speaker, parts: parts.filter((part) => !joined.has(part)) }))
    .filter(({ parts }) => parts.length > 0);
}

/** The link between a call and its result: the id, or the name for producers without ids. */
function keyOf({ id, name }: { id: string | null; name: string | null }): string {
  return id === null ? `name ${name}` : `id ${id}`;
}
