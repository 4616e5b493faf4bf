import type { JudgedTrace, Trajectory } from "@touchstone/contracts";
import { runInSlices, type Sliced, scanMembersInSlices } from "@touchstone/service-kit";
import type { ReadSpan } from "../model/read-span.ts";
import { cutText, readRecordedText } from "../model/recorded-text.ts";
import { decodeSpanBody, readBodyMembers, type SpanBody } from "../model/span-body.ts";
import type { TraceStore } from "../trace-store/trace-store.ts";
import { placeSteps } from "./place-steps.ts";
import { readRecordedCalls, readToolDefinitions } from "./recorded-tools.ts";
import { type DocumentRoom, readRetrievedTexts } from "./retrieved-texts.ts";

/** Of a larger trace, only the first spans are judged. */
const spansMax = 2_000;
/** completions 7.3. */
const stepsMax = 40;
const stepTextMaxChars = 300;
/** For one trace: retrieval spans whose documents are read, and the part of these that is kept. */
const retrievalSpansMax = 100;
const documentsMax = 500;
const documentsMaxChars = 1024 * 1024;
/** More than any judge accepts: a result of this size is skipped as too large. */
const judgedMaxChars = 9 * 1024 * 1024;

type Step = Trajectory["steps"][number];

/** What judges get of all spans of a trace together, collected span by span in the order of its steps. */
interface Collected {
  documents: string[];
  room: DocumentRoom;
  definitions: Map<string, Trajectory["toolDefinitions"][number]>;
}

/**
 * A recorded trace in the form that judges need, or null if the project has none with this id. A span with children has
 * their steps in its trajectory; documents of retrieval spans win over `metadata.retrievalContext`. `withContent` false
 * leaves out its input and output, which may be large; `contentMaxChars` cuts them and the error. Rejects with the
 * signal's reason once it aborts.
 */
export async function readJudgedTrace(
  traces: TraceStore,
  { projectId, traceId, ...wantedContent }: WantedContent & { projectId: string; traceId: string },
  signal: AbortSignal,
): Promise<JudgedTrace | null> {
  const spans = await traces.readSubtree(projectId, traceId, spansMax);
  if (spans === null) return null;
  const placed = placeSteps(traceId, spans);
  const shown = placed.length > 1 ? placed.slice(0, stepsMax) : [];
  const retrievals = placed.filter(({ kind }) => kind === "retrieval").slice(0, retrievalSpansMax);
  const isRetrieval = new Set(retrievals.map(({ id }) => id));
  const wanted = new Set([traceId, ...[...shown, ...retrievals].map(({ id }) => id)]);

  let top: Omit<JudgedTrace, "trajectory" | "retrieval"> | null = null;
  let topBody: Pick<SpanBody, "toolCalls" | "metadata"> = { toolCalls: null, metadata: null };
  const steps = new Map<string, Omit<Step, "depth">>();
  const collected: Collected = { documents: [], room: roomOfTrace(), definitions: new Map() };
  for await (const slice of traces.readSpans(projectId, [...wanted])) {
    for (const span of slice) {
      const body = readBodyMembers(await decodeSpanBody(span.body));
      steps.set(span.id, readStep(span, body));
      const output = isRetrieval.has(span.id) ? body.output : null;
      await runInSlices(collect({ output, metadata: body.metadata }, collected), signal);
      if (span.id !== traceId) continue;
      top = describeTrace(span, body, wantedContent);
      topBody = { toolCalls: body.toolCalls, metadata: body.metadata };
    }
  }
  // It was removed in the meantime.
  if (top === null) return null;
  const { documents, definitions } = collected;
  return {
    ...top,
    trajectory: {
      steps: shown.flatMap(({ id, depth }) => {
        const step = steps.get(id);
        return step === undefined ? [] : [{ depth, ...step }];
      }),
      omittedSteps: placed.length > 1 ? placed.length - shown.length : 0,
      toolCalls: readRecordedCalls(topBody.toolCalls),
      toolDefinitions: [...definitions.values()],
    },
    retrieval: await describeRetrieval(documents, topBody.metadata, signal),
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
  const content = (json: string | null) => (withContent ? readRecordedText(json, most) : null);
  return {
    traceId: span.id,
    name: span.name,
    agentId: span.agentId,
    input: content(input),
    output: content(output),
    error: readRecordedText(error, contentMaxChars),
    model: span.model,
    latencyMs: span.latencyMs,
    inputTokens: span.inputTokens,
    outputTokens: span.outputTokens,
  };
}

function readStep(span: ReadSpan, { input, output, error }: SpanBody): Omit<Step, "depth"> {
  const cut = (json: string | null): string | null => {
    // Two more than are shown: a judge must see that there was more, and a character may have two.
    const text = readRecordedText(json, stepTextMaxChars + 2);
    return text === null || text.length <= stepTextMaxChars ? text : `${cutText(text, stepTextMaxChars)}...`;
  };
  return {
    name: span.name,
    kind: span.kind,
    model: span.model,
    latencyMs: span.latencyMs,
    input: cut(input),
    output: cut(output),
    error: cut(error),
  };
}

function* collect(
  { output, metadata }: Pick<SpanBody, "output" | "metadata">,
  { documents, room, definitions }: Collected,
): Sliced<void> {
  documents.push(...(yield* readRetrievedTexts(output, room)));
  yield* readToolDefinitions(metadata, definitions);
}

async function describeRetrieval(
  documents: string[],
  metadata: SpanBody["metadata"],
  signal: AbortSignal,
): Promise<JudgedTrace["retrieval"]> {
  if (documents.length > 0) return { source: "spans", texts: documents };
  const texts = await runInSlices(readContextOf(metadata), signal);
  return texts.length === 0 ? null : { source: "metadata", texts };
}

function* readContextOf(metadata: SpanBody["metadata"]): Sliced<string[]> {
  if (metadata === null || !metadata.includes('"retrievalContext"')) return [];
  const { members } = yield* scanMembersInSlices(metadata, { isStored: true, only: ["retrievalContext"] });
  return yield* readRetrievedTexts(members?.get("retrievalContext")?.text ?? null, roomOfTrace());
}

const roomOfTrace = (): DocumentRoom => ({ documents: documentsMax, chars: documentsMaxChars });
