import { readDashboardWindow, routes, stretchesOf, type topicCounts, type topicMap } from "@touchstone/contracts";
import { type Clock, type Handler, requireProject, type ServedRoute } from "@touchstone/service-kit";
import type { z } from "zod";
import type { TopicMapReader } from "./topic-map-reader.ts";
import type { TopicReader } from "./topic-reader.ts";

/** Topics of live traffic (completions 9.5). */
export function topicRoutes(dependencies: {
  topics: TopicReader;
  topicMaps: TopicMapReader;
  clock: Clock;
}): ServedRoute[] {
  return [
    { route: routes.readTopics, handle: readTopics(dependencies) },
    { route: routes.readTopicMap, handle: readTopicMap(dependencies) },
  ];
}

/** GET /agent-monitoring/topics (completions 9.5): by the time traces were classified. */
function readTopics({ topics, clock }: { topics: Pick<TopicReader, "count">; clock: Clock }): Handler {
  return async (call) => {
    const window = readDashboardWindow(call.query.window);
    const { since } = stretchesOf(window, clock.now());
    const body: z.input<typeof topicCounts> = { window, ...(await topics.count(requireProject(call), since)) };
    return { status: 200, body };
  };
}

/** GET /agent-monitoring/topics/map (completions 9.5): by the time traces were classified. */
function readTopicMap({ topicMaps, clock }: { topicMaps: TopicMapReader; clock: Clock }): Handler {
  return async (call) => {
    const window = readDashboardWindow(call.query.window);
    const { since } = stretchesOf(window, clock.now());
    const body: z.input<typeof topicMap> = { window, ...(await topicMaps.read(requireProject(call), since)) };
    return { status: 200, body };
  };
}
