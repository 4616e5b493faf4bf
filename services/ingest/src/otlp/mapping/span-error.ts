import type { ReceivedEvent } from "../wire/received-span.ts";
import { toNumber } from "./read-source.ts";
import type { SpanFacts } from "./span-facts.ts";

/** The exception of a span, kept in `metadata.otel.exception`; members that were not sent are absent. */
export interface SpanException {
  type?: string;
  message?: string;
  stacktrace?: string;
}

/** Longest stack trace kept. */
const stacktraceCharsMax = 32_768;

/**
 * What LangGraph raises when a graph waits for a person, or hands over to its parent: nothing failed. As the type of an exception, or
 * at the beginning of a status message.
 */
const controlFlow = /^(?:langgraph\.errors\.)?(?:GraphBubbleUp|GraphInterrupt|NodeInterrupt|ParentCommand)(?:\(|$)/;

/**
 * The error of a span, or null if it did not fail (otlp 5.5). A handled exception is not an error; neither is one under
 * the status ok. The text never contains a stack trace.
 */
export function readError(facts: SpanFacts): string | null {
  const exception = newestException(facts);
  if (!hasFailed(facts, exception) || isControlFlow(facts, exception)) return null;
  const { span } = facts;
  const candidates = [
    span.statusMessage,
    facts.text("langfuse.observation.status_message"),
    isClaudeCode(facts) ? facts.text("error") : undefined,
    attributeText(exception, "exception.message"),
    facts.text("error.type"),
    attributeText(exception, "exception.type"),
  ];
  for (const candidate of candidates) {
    const text = candidate === undefined ? "" : withoutStack(candidate);
    if (text !== "") return text;
  }
  return "error";
}

/** The newest exception on a span, whether the span failed or not; null if it has none. */
export function readException(facts: SpanFacts): SpanException | null {
  const event = newestException(facts);
  if (event === undefined) {
    const { statusMessage } = facts.span;
    // Some producers put the trace only into the status message; it is kept here before readError drops it.
    return withoutStack(statusMessage) === statusMessage.trim() ? null : { stacktrace: cut(statusMessage) };
  }
  const exception: SpanException = {};
  const type = attributeText(event, "exception.type");
  const message = attributeText(event, "exception.message");
  const stacktrace = attributeText(event, "exception.stacktrace");
  if (type !== undefined) exception.type = type;
  if (message !== undefined) exception.message = cut(message);
  if (stacktrace !== undefined) exception.stacktrace = cut(stacktrace);
  return exception;
}

function hasFailed(facts: SpanFacts, exception: ReceivedEvent | undefined): boolean {
  const { statusCode } = facts.span;
  if (statusCode === 2) return true;
  if (facts.text("langfuse.observation.level")?.toUpperCase() === "ERROR") return true;
  if (facts.text("gen_ai.tool.status")?.toLowerCase() === "error") return true;
  if (String(facts.value("lk.function_tool.is_error")).toLowerCase() === "true") return true;
  if (isClaudeCode(facts) && String(facts.value("success")) === "false") return true;
  if (facts.text("genkit:state")?.toLowerCase() === "error") return true;
  if (statusCode === 1) return false;
  if (facts.text("error.type") !== undefined) return true;
  return exception !== undefined && String(exception.attributes.get("exception.escaped")).toLowerCase() === "true";
}

function isControlFlow({ span }: SpanFacts, exception: ReceivedEvent | undefined): boolean {
  const raised = exception === undefined ? span.statusMessage : attributeText(exception, "exception.type");
  return raised !== undefined && controlFlow.test(raised);
}

function newestException(facts: SpanFacts): ReceivedEvent | undefined {
  return facts
    .events("exception")
    .reduce<ReceivedEvent | undefined>(
      (newest, event) => (newest === undefined || event.timeNano >= newest.timeNano ? event : newest),
      undefined,
    );
}

function isClaudeCode(facts: SpanFacts): boolean {
  return facts.scope.name.startsWith("com.anthropic.claude_code");
}

function attributeText(event: ReceivedEvent | undefined, key: string): string | undefined {
  const value = event?.attributes.get(key);
  if (typeof value === "string" && value.trim() !== "") return value;
  return toNumber(value) === null ? undefined : String(value);
}

/** JavaScript frames follow a repeated headline; a Python trace begins with its own line and ends with the headline. */
function withoutStack(text: string): string {
  const python = text.indexOf("Traceback (most recent call last):");
  if (python >= 0) {
    const before = text.slice(0, python).trim();
    return before === "" ? (text.trimEnd().split("\n").at(-1) ?? "").trim() : before;
  }
  const frame = text.search(/\n[ \t]+at \S/);
  if (frame < 0) return text.trim();
  const lines = text.slice(0, frame).trimEnd().split("\n");
  const headline = lines.at(-1) ?? "";
  const isRepeated = lines.length > 1 && /^[\w.]*(?:Error|Exception)\b/.test(headline);
  return (isRepeated ? lines.slice(0, -1) : lines).join("\n").trim();
}

function cut(text: string): string {
  return text.length > stacktraceCharsMax ? text.slice(0, stacktraceCharsMax) : text;
}
