import { readDashboardWindow, stretchesOf, type topicMap } from "@touchstone/contracts";
import type { Clock, Handler } from "@touchstone/service-kit";
import { requireProject } from "@touchstone/service-kit";
import type { z } from "zod";
import type { TopicMapReader } from "../../topics/topic-map-reader.ts";

/** GET /agent-monitoring/topics/map (completions 9.5): by the time traces were classified. */
export function readTopicMap({ topicMaps, clock }: { topicMaps: TopicMapReader; clock: Clock }): Handler {
  return async (call) => {
    const window = readDashboardWindow(call.query.window);
    const { since } = stretchesOf(window, clock.now());
    const body: z.input<typeof topicMap> = { window, ...(await topicMaps.read(requireProject(call), since)) };
    return { status: 200, body };
  };
}
