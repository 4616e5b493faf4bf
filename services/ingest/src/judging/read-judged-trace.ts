import type { JudgedTrace, Trajectory } from "@touchstone/contracts";
import type { ReadSpan } from "../model/read-span.ts";
import { cutText, readRecordedText } from "../model/recorded-text.ts";
import { scanMembers } from "../model/scan-members.ts";
import { decodeSpanBody, readBodyMembers, type SpanBody } from "../model/span-body.ts";
import type { TraceStore } from "../trace-store/trace-store.ts";
import { placeSteps } from "./place-steps.ts";
import { readRecordedCalls, readToolDefinitions } from "./recorded-tools.ts";
import { readRetrievedTexts } from "./retrieved-texts.ts";

/** Of a larger trace, only the first spans are judged. */
const spansMax = 2_000;
/** completions 7.3. */
const stepsMax = 40;
const stepTextMaxChars = 300;
/** For one trace: retrieval spans whose documents are read, and the part of these that is kept. */
const retrievalSpansMax = 100;
const documentsMax = 500;
const documentsMaxChars = 1024 * 1024;
const definitionsMax = 200;
/** More than any judge accepts: a result of this size is skipped as too large. */
const judgedMaxChars = 9 * 1024 * 1024;

type Step = Trajectory["steps"][number];

/** The data of one span, cut to what judges get. */
interface ReadStep {
  step: Omit<Step, "depth">;
  documents: string[];
  definitions: Trajectory["toolDefinitions"];
}

/**
 * A recorded trace in the form that judges need, or null if the project has none with this id. A span with children has
 * their steps in its trajectory; documents of retrieval spans win over `metadata.retrievalContext`. `withContent` false
 * leaves out its input and output, which may be large; `contentMaxChars` cuts them and the error.
 */
export async function readJudgedTrace(
  traces: TraceStore,
  { projectId, traceId, ...wantedContent }: WantedContent & { projectId: string; traceId: string },
): Promise<JudgedTrace | null> {
  const spans = await traces.readSubtree(projectId, traceId, spansMax);
  if (spans === null) return null;
  const placed = placeSteps(traceId, spans);
  const shown = placed.length > 1 ? placed.slice(0, stepsMax) : [];
  const retrievals = placed.filter(({ kind }) => kind === "retrieval").slice(0, retrievalSpansMax);
  const wanted = new Set([traceId, ...[...shown, ...retrievals].map(({ id }) => id)]);

  let top: Omit<JudgedTrace, "trajectory" | "retrieval"> | null = null;
  let topBody: Pick<SpanBody, "toolCalls" | "metadata"> = { toolCalls: null, metadata: null };
  const read = new Map<string, ReadStep>();
  for await (const slice of traces.readSpans(projectId, [...wanted])) {
    for (const span of slice) {
      const body = readBodyMembers(await decodeSpanBody(span.body));
      read.set(span.id, readStep(span, body));
      if (span.id !== traceId) continue;
      top = describeTrace(span, body, wantedContent);
      topBody = { toolCalls: body.toolCalls, metadata: body.metadata };
    }
  }
  // It was removed in the meantime.
  if (top === null) return null;
  const documents = retrievals.flatMap(({ id }) => read.get(id)?.documents ?? []);
  return {
    ...top,
    trajectory: {
      steps: shown.flatMap(({ id, depth }) => {
        const found = read.get(id);
        return found === undefined ? [] : [{ depth, ...found.step }];
      }),
      omittedSteps: placed.length > 1 ? placed.length - shown.length : 0,
      toolCalls: readRecordedCalls(topBody.toolCalls),
      toolDefinitions: uniqueByName([...wanted].flatMap((id) => read.get(id)?.definitions ?? [])),
    },
    retrieval: describeRetrieval(documents, topBody.metadata),
  };
}

interface WantedContent {
  withContent: boolean;
  contentMaxChars?: number | undefined;
}

function describeTrace(
  span: ReadSpan,
  { input, output, error }: SpanBody,
  { withContent, contentMaxChars = Number.POSITIVE_INFINITY }: WantedContent,
): Omit<JudgedTrace, "trajectory" | "retrieval"> {
  const most = Math.min(judgedMaxChars, contentMaxChars);
  const content = (json: string | null) => (withContent ? cutOrNull(readRecordedText(json), most) : null);
  return {
    traceId: span.id,
    name: span.name,
    agentId: span.agentId,
    input: content(input),
    output: content(output),
    error: cutOrNull(readRecordedText(error), contentMaxChars),
    model: span.model,
    latencyMs: span.latencyMs,
    inputTokens: span.inputTokens,
    outputTokens: span.outputTokens,
  };
}

function readStep(span: ReadSpan, { input, output, error, metadata }: SpanBody): ReadStep {
  const cut = (json: string | null) => cutOrNull(readRecordedText(json), stepTextMaxChars);
  return {
    step: {
      name: span.name,
      kind: span.kind,
      model: span.model,
      latencyMs: span.latencyMs,
      input: cut(input),
      output: cut(output),
      error: cut(error),
    },
    documents: span.kind === "retrieval" ? readRetrievedTexts(output) : [],
    definitions: readToolDefinitions(metadata),
  };
}

function describeRetrieval(documents: readonly string[], metadata: SpanBody["metadata"]): JudgedTrace["retrieval"] {
  if (documents.length > 0) return { source: "spans", texts: bound(documents) };
  const texts = readContextOf(metadata);
  return texts.length === 0 ? null : { source: "metadata", texts: bound(texts) };
}

function readContextOf(metadata: SpanBody["metadata"]): string[] {
  if (metadata === null || !metadata.includes('"retrievalContext"')) return [];
  const context = scanMembers(metadata, { isStored: true }).members?.get("retrievalContext");
  return context === undefined ? [] : readRetrievedTexts(context.text);
}

/** The first documents within the limits. */
function bound(documents: readonly string[]): string[] {
  let left = documentsMaxChars;
  return documents.slice(0, documentsMax).flatMap((text) => {
    const kept = cutText(text, left);
    left -= kept.length;
    return kept === "" ? [] : [kept];
  });
}

function uniqueByName(definitions: Trajectory["toolDefinitions"]): Trajectory["toolDefinitions"] {
  const byName = new Map(definitions.toReversed().map((definition) => [definition.name, definition]));
  return definitions.filter((definition) => byName.get(definition.name) === definition).slice(0, definitionsMax);
}

const cutOrNull = (text: string | null, charsMax: number): string | null =>
  text === null ? null : cutText(text, charsMax);
