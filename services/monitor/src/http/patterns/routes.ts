import type { Bus } from "@touchstone/bus";
import { routes } from "@touchstone/contracts";
import type { Clock, ServedRoute } from "@touchstone/service-kit";
import type { IngestClient } from "../../ingest/ingest-client.ts";
import type { PatternBook } from "../../patterns/pattern-book.ts";
import type { PatternMatcher } from "../../patterns/pattern-matcher.ts";
import type { PatternStore } from "../../patterns/pattern-store.ts";
import type { ProfileStore } from "../../profiles/profile-store.ts";
import type { NewestTraces } from "../../seen-traces/newest-traces.ts";
import { createPattern } from "./create-pattern.ts";
import { deleteMonitoringPattern } from "./delete-monitoring-pattern.ts";
import { deletePattern } from "./delete-pattern.ts";
import { generateRegex } from "./generate-regex.ts";
import { getPattern } from "./get-pattern.ts";
import { listPatterns } from "./list-patterns.ts";
import { patchMonitoringPattern } from "./patch-monitoring-pattern.ts";
import { patchPattern } from "./patch-pattern.ts";
import { tryPattern } from "./try-pattern.ts";
import { updateMonitoringPattern } from "./update-monitoring-pattern.ts";
import { updatePattern } from "./update-pattern.ts";

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
