import { deleteTracesQuery, isUuid } from "@touchstone/contracts";
import { AppError, type Call, parseIsoTime } from "@touchstone/service-kit";
import type { RemovalFilter } from "../trace-store/removing/trace-remover.ts";
import { normaliseFramework } from "./submitted-trace.ts";

/**
 * The filters of a deletion. Stricter than those of the list: an unknown, empty or repeated filter is a 400, because
 * ignoring it would delete more than requested.
 */
export function readDeletionFilter(query: Call["query"]): RemovalFilter {
  const names = Object.keys(deleteTracesQuery.shape);
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  if (given.length === 0) throw refuse(`At least one filter is required: ${names.join(", ")}`);
  const texts = new Map<string, string>();
  for (const [name, value] of given) {
    if (!names.includes(name)) throw refuse(`Unknown filter "${name.slice(0, 40)}"; there are ${names.join(", ")}`);
    if (typeof value !== "string" || value.trim() === "" || value.includes("\0")) {
      throw refuse(`The filter "${name}" needs one value`);
    }
    texts.set(name, value);
  }
  const text = (name: keyof typeof deleteTracesQuery.shape): string | null => texts.get(name) ?? null;
  const agentId = text("agentId");
  if (agentId !== null && !isUuid(agentId)) throw refuse("agentId is not the id of an agent");
  const source = text("source");
  if (source !== null && source !== "production" && source !== "eval") {
    throw refuse('source must be "production" or "eval"');
  }
  return {
    agentId,
    sessionId: text("sessionId"),
    framework: normaliseFramework(text("framework")),
    model: text("model"),
    source: source ?? "all",
    fromMs: readTime("from", text("from")),
    toMs: readTime("to", text("to")),
    hasError: null,
    latencyMinMs: null,
    ratingMin: null,
    ratingMax: null,
    isFailing: null,
    isToolFailing: null,
    usedModel: null,
    hasModel: null,
    prompt: null,
  };
}

function readTime(name: string, text: string | null): number | null {
  if (text === null) return null;
  const atMs = parseIsoTime(text);
  if (atMs === null) throw refuse(`${name} must be an ISO 8601 date`);
  return Math.max(atMs, 0);
}

const refuse = (message: string): AppError => new AppError("bad_request", message);
