import { canonicalTraceId, isStorable, type TraceOutput, type traceOutputsQuery } from "@touchstone/contracts";
import type { z } from "zod";
import { toUuid } from "../model/ids.ts";
import type { ReadSpan } from "../model/read-span.ts";
import { readRecordedText } from "../model/recorded-text.ts";
import { decodeSpanBody, readBodyMembers } from "../model/span-body.ts";
import type { FoundSpan, TraceStore } from "../trace-store/trace-store.ts";

/** More than a judge accepts. */
const outputMaxChars = 9 * 1024 * 1024;
/** The reply ends once its outputs have so many characters. */
const replyMaxChars = 8 * 1024 * 1024;

/**
 * The outputs of traces, or of spans of them, in the order of their names; null where the trace, the span or its output is
 * not there. The list ends early where the outputs are large, and has at least one element.
 */
export async function readTraceOutputs(
  traces: TraceStore,
  { projectId, named }: z.output<typeof traceOutputsQuery>,
): Promise<(TraceOutput | null)[]> {
  const asked = named.map(({ traceId, spanId }) => ({ trace: uuidOf(traceId), spanId }));
  const valid = asked.flatMap(({ trace, spanId }) => {
    return trace === null || (spanId !== null && !isStorable(spanId)) ? [] : [{ trace, spanId }];
  });
  const keyOf = ({ trace, spanId }: { trace: string | null; spanId: string | null }) => `${trace} ${spanId}`;
  const rows = valid.length === 0 ? [] : await traces.findNamed(projectId, valid);
  const found = new Map(valid.map((name, index) => [keyOf(name), rows[index] ?? null]));
  const ordered = asked.map((name) => found.get(keyOf(name)) ?? null);

  const ids = new Set(ordered.flatMap((each) => each?.spanRowId ?? []));
  const read = new Map<string, Omit<TraceOutput, "traceId"> | null>();
  let chars = 0;
  for await (const slice of traces.readSpans(projectId, [...ids])) {
    for (const span of slice) {
      const output = await readOutput(span);
      read.set(span.id, output);
      chars += (output?.output?.length ?? 0) + (output?.error?.length ?? 0);
    }
    if (chars >= replyMaxChars) break;
  }
  const isRead = (each: FoundSpan | null) => each === null || read.has(each.spanRowId);
  // A span that was removed meanwhile is not read, either: it must not end the list for good.
  const end = chars >= replyMaxChars ? ordered.findIndex((each) => !isRead(each)) : -1;
  return ordered.slice(0, end === -1 ? undefined : Math.max(end, 1)).map((each) => {
    const output = each && read.get(each.spanRowId);
    return each && output ? { traceId: each.rootId, ...output } : null;
  });
}

/** Null: no trace has this id. */
function uuidOf(traceId: string): string | null {
  const digits = canonicalTraceId(traceId);
  return /^[0-9a-f]{32}$/.test(digits) ? toUuid(digits) : null;
}

async function readOutput(span: ReadSpan): Promise<Omit<TraceOutput, "traceId"> | null> {
  const body = readBodyMembers(await decodeSpanBody(span.body));
  const output = readRecordedText(body.output, outputMaxChars);
  const error = readRecordedText(body.error, outputMaxChars);
  if (output === null && error === null) return null;
  const { latencyMs, inputTokens, outputTokens } = span;
  return { output, error, latencyMs, inputTokens, outputTokens };
}
