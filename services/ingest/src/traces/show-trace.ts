import type { ReadSpan } from "../model/read-span.ts";
import { type BodyMember, cutBodyMembers, decodeSpanBody, readMemberStart } from "../model/span-body.ts";
import type { CostEstimator, ListFigures } from "../pricing/cost-estimator.ts";
import type { PricedProject } from "../pricing/price-store.ts";
import { previewText } from "./preview-text.ts";

/** One JSON value in pieces, to be put together once, with whatever stands around it: what is shown is large. */
export type JsonPieces = readonly Buffer[];

/**
 * The answers that show spans, as bytes: what the sender wrote is spliced in, not parsed (interface: Trace). Members are
 * left out when absent, but for the few that are always there and nullable.
 */
export async function showListItem(span: ReadSpan): Promise<JsonPieces> {
  return splice(span, { ...narrowMembers(span), judgeScores: span.judgeScores }, "toolCalls");
}

/** What is read of a text to preview it. */
const previewedBytes = 16 * 1024;

/** The beginning of what was asked; null where nothing was recorded. */
export async function previewInput(span: ReadSpan): Promise<string | null> {
  return previewMember(await decodeSpanBody(span.body), "input");
}

function previewMember(body: Buffer, member: BodyMember): string | null {
  const start = readMemberStart(body, member, previewedBytes);
  return start && previewText(start.json, start.isWhole);
}

/** The same as it is previewed: texts cut short, without tool calls, with what it cost. */
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

/** A page of previews. One after the other: of large texts only one is unpacked at a time. */
export async function showPreviews(spans: readonly ReadSpan[], figures: readonly ListFigures[]): Promise<JsonPieces[]> {
  const items: JsonPieces[] = [];
  for (const [index, span] of spans.entries()) items.push(await showPreview(span, figures[index] as ListFigures));
  return items;
}

/** A root as the live tail tells it: an item of the list, previewed where it says at whose prices. */
export function showTold(costs: CostEstimator) {
  return async (root: ReadSpan, preview: PricedProject | null): Promise<Buffer> => {
    if (preview === null) return Buffer.concat(await showListItem(root));
    const [item = []] = await showPreviews([root], await costs.estimatePage(preview, [root]));
    return Buffer.concat(item);
  };
}

/** A span in full. */
export async function showDetail(span: ReadSpan, estimatedCostUSD: number | null): Promise<JsonPieces> {
  const { judgeScores, topic } = span;
  const members = { ...detailMembers(span), judgeScores, estimatedCostUSD, topic: topic ?? undefined };
  return splice(span, members, "performanceSummary");
}

/** A span of a session: the detail without what is told of whole traces only (completions 2.7). */
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
