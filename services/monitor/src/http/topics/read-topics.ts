import { readDashboardWindow, stretchesOf, type topicCounts } from "@touchstone/contracts";
import type { Clock, Handler } from "@touchstone/service-kit";
import { requireProject } from "@touchstone/service-kit";
import type { z } from "zod";
import type { TopicReader } from "../../topics/topic-reader.ts";

/** GET /agent-monitoring/topics (completions 9.5): by the time traces were classified. */
export function readTopics({ topics, clock }: { topics: Pick<TopicReader, "count">; clock: Clock }): Handler {
  return async (call) => {
    const window = readDashboardWindow(call.query.window);
    const { since } = stretchesOf(window, clock.now());
    const body: z.input<typeof topicCounts> = { window, ...(await topics.count(requireProject(call), since)) };
    return { status: 200, body };
  };
}
