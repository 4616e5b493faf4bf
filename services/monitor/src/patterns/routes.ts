import type { Bus } from "@touchstone/bus";
import { isUuid, routes } from "@touchstone/contracts";
import {
  AppError,
  actOf,
  type Call,
  type Clock,
  encodeList,
  endText,
  type Handler,
  readJsonObject,
  requireProject,
  type ServedRoute,
  takeLoopTurnIfLarge,
} from "@touchstone/service-kit";
import type { IngestClient } from "../ingest-client.ts";
import { readListQuery } from "../lists/document-reader.ts";
import type { ProfileStore } from "../profiles/profile-store.ts";
import type { NewestTraces } from "../traces/seen-trace-reader.ts";
import type { BuiltinPattern } from "./builtin/builtin.ts";
import { builtinPatterns } from "./builtin/builtins.ts";
import { generateRegex } from "./generate-regex.ts";
import type { PatternMatcher } from "./matching/pattern-matcher.ts";
import type { PatternBook } from "./pattern-book.ts";
import type { PatternStore } from "./pattern-store.ts";
import { renderBuiltin, renderPattern } from "./render-pattern.ts";
import { tryPattern } from "./try-pattern.ts";

/** Routes of patterns (completions 9.3); two paths change and delete them, and PATCH is the same as PUT. */
export function patternRoutes(dependencies: {
  book: PatternBook;
  patterns: PatternStore;
  profiles: ProfileStore;
  ingest: IngestClient;
  newestTraces: NewestTraces;
  matcher: PatternMatcher;
  bus: Bus;
  clock: Clock;
}): ServedRoute[] {
  return [
    { route: routes.createPattern, handle: createPattern(dependencies) },
    { route: routes.listPatterns, handle: listPatterns(dependencies) },
    { route: routes.getPattern, handle: getPattern(dependencies) },
    { route: routes.tryPattern, handle: tryPattern(dependencies) },
    { route: routes.generateRegex, handle: generateRegex(dependencies) },
    { route: routes.updatePattern, handle: updatePattern(dependencies) },
    { route: routes.patchPattern, handle: updatePattern(dependencies) },
    { route: routes.deletePattern, handle: deletePattern(dependencies) },
    { route: routes.updateMonitoringPattern, handle: updatePattern(dependencies) },
    { route: routes.patchMonitoringPattern, handle: updatePattern(dependencies) },
    { route: routes.deleteMonitoringPattern, handle: deletePattern(dependencies) },
  ];
}

/** POST /monitor/patterns (completions 9.3). */
function createPattern({ book }: { book: PatternBook }): Handler {
  return async (call) => {
    const sent = (await readJsonObject(call)).value;
    const pattern = await book.create(requireProject(call), sent, actOf(call.identity));
    return { status: 201, body: { pattern: renderPattern(pattern) } };
  };
}

/** GET /monitor/patterns (completions 9.3): the built-in ones, then the project's own, oldest first. */
function listPatterns(stores: { patterns: PatternStore; profiles: ProfileStore }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const query = readListQuery(call, "a pattern");
    const { enabledBuiltinPatterns: enabled } = await stores.profiles.readDefaults(projectId);
    const own = await stores.patterns.list(projectId, query);
    const builtin = builtinPatterns.map((each) => renderBuiltin(each, enabled.includes(each.key)));
    // Each large one in a turn of its own: a page has up to 8 MiB.
    const patterns = query.cursor === null ? builtin.map((each) => JSON.stringify(each)) : [];
    for (const pattern of own.rows) {
      const text = JSON.stringify(renderPattern(pattern));
      patterns.push(text);
      await takeLoopTurnIfLarge(text.length);
    }
    const tail = `]${endText(own, ({ id }) => id)}`;
    return { status: 200, body: await encodeList('{"patterns":[', patterns, tail) };
  };
}

/** GET /monitor/patterns/{patternId} (completions 9.3). */
function getPattern(stores: { patterns: PatternStore; profiles: ProfileStore }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const named = patternNamed(call);
    if ("builtin" in named) {
      const { enabledBuiltinPatterns: enabled } = await stores.profiles.readDefaults(projectId);
      return { status: 200, body: { pattern: renderBuiltin(named.builtin, enabled.includes(named.builtin.key)) } };
    }
    const pattern = await stores.patterns.find(projectId, named.id);
    return { status: 200, body: { pattern: renderPattern(pattern ?? patternNotFound()) } };
  };
}

/** PUT /monitor/patterns/{patternId} (completions 9.3): changes only the members that were sent. */
function updatePattern({ book }: { book: PatternBook }): Handler {
  return async (call) => {
    const sent = (await readJsonObject(call)).value;
    const pattern = await book.update(requireProject(call), ownPatternId(call), sent, actOf(call.identity));
    return { status: 200, body: { pattern: renderPattern(pattern ?? patternNotFound()) } };
  };
}

/** DELETE /monitor/patterns/{patternId} (completions 9.3). Its findings stay. */
function deletePattern({ book }: { book: PatternBook }): Handler {
  return async (call) => {
    const isGone = await book.delete(requireProject(call), ownPatternId(call), actOf(call.identity));
    return isGone ? { status: 204 } : patternNotFound();
  };
}

/**
 * The pattern in the path: one of the project's own by its id, or a built-in one by its key. Throws 404 for neither.
 */
function patternNamed(call: Call): { id: string } | { builtin: BuiltinPattern } {
  const named = call.params.patternId ?? "";
  const builtin = builtinPatterns.find(({ key }) => key === named);
  if (builtin !== undefined) return { builtin };
  return isUuid(named) ? { id: named } : patternNotFound();
}

/** The id of a pattern to change: built-in ones cannot be changed. */
function ownPatternId(call: Call): string {
  const named = patternNamed(call);
  if ("builtin" in named) throw new AppError("forbidden", "Built-in patterns are read-only");
  return named.id;
}

function patternNotFound(): never {
  throw new AppError("not_found", "Pattern not found");
}
