import type { Bus } from "@touchstone/bus";
import { routes } from "@touchstone/contracts";
import type { Clock, ServedRoute } from "@touchstone/service-kit";
import { createPattern } from "../http/patterns/create-pattern.ts";
import { deleteMonitoringPattern } from "../http/patterns/delete-monitoring-pattern.ts";
import { deletePattern } from "../http/patterns/delete-pattern.ts";
import { getPattern } from "../http/patterns/get-pattern.ts";
import { listPatterns } from "../http/patterns/list-patterns.ts";
import { patchMonitoringPattern } from "../http/patterns/patch-monitoring-pattern.ts";
import { patchPattern } from "../http/patterns/patch-pattern.ts";
import { tryPattern } from "../http/patterns/try-pattern.ts";
import { updateMonitoringPattern } from "../http/patterns/update-monitoring-pattern.ts";
import { updatePattern } from "../http/patterns/update-pattern.ts";
import type { IngestClient } from "../ingest-client.ts";
import type { ProfileStore } from "../profiles/profile-store.ts";
import type { NewestTraces } from "../traces/newest-traces.ts";
import { generateRegex } from "./generate-regex.ts";
import type { PatternMatcher } from "./matching/pattern-matcher.ts";
import type { PatternBook } from "./pattern-book.ts";
import type { PatternStore } from "./pattern-store.ts";

/** Patterns (completions 9.3); two addresses change and delete them. */
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
    { route: routes.patchPattern, handle: patchPattern(dependencies) },
    { route: routes.deletePattern, handle: deletePattern(dependencies) },
    { route: routes.updateMonitoringPattern, handle: updateMonitoringPattern(dependencies) },
    { route: routes.patchMonitoringPattern, handle: patchMonitoringPattern(dependencies) },
    { route: routes.deleteMonitoringPattern, handle: deleteMonitoringPattern(dependencies) },
  ];
}
