import { isUuid } from "@touchstone/contracts";
import { AppError, type Call, parseIsoTime, readParameter } from "@touchstone/service-kit";
import type { RootFilter } from "../model/root-filter.ts";
import { searchPattern } from "../search/search-pattern.ts";
import { normaliseFramework } from "./submitted-trace.ts";

/**
 * The filter of a list (completions 2.3). Null if no root can match, because no stored id or name looks like that. An
 * invalid date or flag is the caller's error.
 */
export function readRootFilter(query: Call["query"]): RootFilter | null {
  const one = (name: string): string | null => readParameter(query, name);
  const promptName = one("promptName");
  const filter: RootFilter = {
    framework: normaliseFramework(one("framework")),
    source: readSource(one("source")),
    agentId: one("agentId"),
    sessionId: one("sessionId"),
    model: one("model"),
    usedModel: one("usedModel"),
    hasModel: readFlag("hasModel", one("hasModel")),
    fromMs: readInstant("from", one("from")),
    toMs: readInstant("to", one("to")),
    hasError: readFlag("hasError", one("hasError")),
    latencyMinMs: readNumber("latencyMinMs", one("latencyMinMs")),
    ratingMin: readNumber("ratingMin", one("ratingMin")),
    ratingMax: readNumber("ratingMax", one("ratingMax")),
    isFailing: readFlag("failing", one("failing")),
    isToolFailing: readFlag("toolFailing", one("toolFailing")),
    prompt: promptName === null ? null : { name: promptName, version: one("promptVersion") },
    pattern: searchPattern(one("search")),
  };
  const { framework, sessionId, model, usedModel, prompt } = filter;
  const isStorable = [framework, sessionId, model, usedModel, promptName, prompt?.version].every(
    (text) => !text?.includes("\0"),
  );
  const isKnown = filter.agentId === null || isUuid(filter.agentId);
  return isStorable && isKnown ? filter : null;
}

/** A bound of the filter within the times that ids can represent; null if absent. */
export function readMoment(query: Call["query"], name: "from" | "to"): number | null {
  const atMs = readInstant(name, readParameter(query, name));
  return atMs === null ? null : Math.min(Math.max(atMs, 0), 2 ** 48 - 1);
}

/** True if previews are requested; any other view is the default one. */
export function isPreview(query: Call["query"]): boolean {
  return readParameter(query, "view") === "preview";
}

/** An unknown value means all, like a missing one. */
function readSource(text: string | null): RootFilter["source"] {
  return text === "production" || text === "eval" ? text : "all";
}

function readInstant(name: string, text: string | null): number | null {
  if (text === null) return null;
  const atMs = parseIsoTime(text);
  if (atMs === null) throw new AppError("bad_request", `${name} must be an ISO 8601 date`);
  return atMs;
}

function readFlag(name: string, text: string | null): boolean | null {
  if (text === null) return null;
  if (text !== "true" && text !== "false") throw new AppError("bad_request", `${name} must be true or false`);
  return text === "true";
}

function readNumber(name: string, text: string | null): number | null {
  if (text === null) return null;
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value)) throw new AppError("bad_request", `${name} must be a number`);
  return value;
}
