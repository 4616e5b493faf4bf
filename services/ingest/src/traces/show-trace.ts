import type { ShownScore } from "@touchstone/contracts";
import type { ReadSpan } from "../model/read-span.ts";
import { type BodyMember, cutBodyMembers, decodeSpanBody, readMemberStart } from "../model/span-body.ts";
import type { CostEstimator, ListFigures } from "../pricing/cost-estimator.ts";
import type { PricedProject } from "../pricing/price-store.ts";
import { previewText } from "./preview-text.ts";

/** One JSON value in pieces, concatenated once with the surrounding text: the values are large. */
export type JsonPieces = readonly Buffer[];

/**
 * Responses with spans, as bytes: the sender's values are spliced in, not parsed (interface: Trace). Absent members are
 * left out, except the few nullable ones that are always present.
 */
export async function showListItem(span: ReadSpan): Promise<JsonPieces> {
  return splice(span, { ...narrowMembers(span), judgeScores: span.judgeScores }, "toolCalls");
}

/** Bytes of a text that are read for its preview. */
const previewedBytes = 16 * 1024;

/** The beginning of the input; null if nothing was recorded. */
export async function previewInput(span: ReadSpan): Promise<string | null> {
  return previewMember(await decodeSpanBody(span.body), "input");
}

function previewMember(body: Buffer, member: BodyMember): string | null {
  const start = readMemberStart(body, member, previewedBytes);
  return start && previewText(start.json, start.isWhole);
}

/** The same as a preview: texts cut, without tool calls, with its cost. */
async function showPreview(span: ReadSpan, { costUSD, spanCount }: ListFigures): Promise<JsonPieces> {
  const decoded = decodeSpanBody(span.body);
  const body = Buffer.isBuffer(decoded) ? decoded : await decoded;
  const preview = (member: BodyMember): string | undefined => previewMember(body, member) ?? undefined;
  const item = {
    ...narrowMembers(span),
    judgeScores: span.judgeScores,
    agentId: span.agentId,
    costUSD,
    spanCount,
    input: preview("input"),
    output: preview("output"),
    error: preview("error"),
  };
  return [Buffer.from(JSON.stringify(item))];
}

/** A page of previews, sequentially: only one large text is decompressed at a time. */
export async function showPreviews(spans: readonly ReadSpan[], figures: readonly ListFigures[]): Promise<JsonPieces[]> {
  const items: JsonPieces[] = [];
  for (const [index, span] of spans.entries()) items.push(await showPreview(span, figures[index] as ListFigures));
  return items;
}

/** Shows a root in the live tail: as an item of the list, or as a preview if prices are given. */
export function showTailItem(costs: CostEstimator) {
  return async (root: ReadSpan, preview: PricedProject | null): Promise<Buffer> => {
    if (preview === null) return Buffer.concat(await showListItem(root));
    const [item = []] = await showPreviews([root], await costs.estimatePage(preview, [root]));
    return Buffer.concat(item);
  };
}

/** A span in full. */
export async function showDetail(
  span: ReadSpan,
  { estimatedCostUSD, scores }: { estimatedCostUSD: number | null; scores: readonly ShownScore[] },
): Promise<JsonPieces> {
  const { judgeScores, topic } = span;
  const members = { ...detailMembers(span), judgeScores, estimatedCostUSD, topic: topic ?? undefined, scores };
  return splice(span, members, "performanceSummary");
}

/** A span of a session: the detail without values that only whole traces have (completions 2.7). */
export async function showSessionSpan(span: ReadSpan): Promise<JsonPieces> {
  return splice(span, detailMembers(span), "performanceSummary");
}

const comma = Buffer.from(",");
const closingBrace = Buffer.from("}");

export function bytesOfPieces(pieces: JsonPieces): number {
  return pieces.reduce((bytes, piece) => bytes + piece.length, 0);
}

/** `item,item`. */
export function joinPieces(items: readonly JsonPieces[]): JsonPieces {
  return items.flatMap((item, index) => (index === 0 ? item : [comma, ...item]));
}

async function splice(
  span: ReadSpan,
  narrow: Record<string, unknown>,
  last: Parameters<typeof cutBodyMembers>[1],
): Promise<JsonPieces> {
  const decoded = decodeSpanBody(span.body);
  const body = cutBodyMembers(Buffer.isBuffer(decoded) ? decoded : await decoded, last);
  const open = Buffer.from(JSON.stringify(narrow).slice(0, -1));
  return [open, body, closingBrace];
}

function narrowMembers(span: ReadSpan): Record<string, unknown> {
  return {
    _id: span.id,
    name: span.name,
    latencyMs: span.latencyMs ?? undefined,
    framework: span.framework ?? undefined,
    model: span.model ?? undefined,
    sessionId: span.sessionId ?? undefined,
    spanId: span.spanId ?? undefined,
    spanKind: span.kind,
    parentSpanId: span.parentSpanId ?? undefined,
    startedAt: span.startedAtMs === null ? undefined : new Date(span.startedAtMs).toISOString(),
    trafficSource: span.source ?? undefined,
    source: "sdk",
    createdAt: new Date(span.createdAtMs).toISOString(),
    inputTokens: span.inputTokens,
    outputTokens: span.outputTokens,
  };
}

function detailMembers(span: ReadSpan): Record<string, unknown> {
  return {
    ...narrowMembers(span),
    cacheReadTokens: span.cacheReadTokens ?? undefined,
    cacheWriteTokens: span.cacheWriteTokens ?? undefined,
    agentId: span.agentId,
  };
}
