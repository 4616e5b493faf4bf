import { lengthOf, limits, readDashboardWindow } from "@touchstone/contracts";
import type { Clock, Handler } from "@touchstone/service-kit";
import type { SessionStore } from "../../sessions/session-store.ts";
import { requireProject } from "../require-project.ts";

/** `GET /agent-monitoring/sessions`: the sessions of a window, newest activity first (completions 2.7). */
export function listSessions({ sessions, clock }: { sessions: SessionStore; clock: Clock }): Handler {
  return async (call) => {
    const window = readDashboardWindow([call.query.window].flat()[0]);
    const sinceMs = clock.now() - lengthOf(window);
    const listed = await sessions.listSessions(requireProject(call.identity), sinceMs, limits.sessionsListedMax);
    return {
      status: 200,
      body: {
        window,
        sessions: listed.map(({ agent, firstAt, lastAt, verdict, ...session }) => ({
          ...session,
          agentId: agent?.id ?? null,
          agentName: agent?.name ?? null,
          firstAt: firstAt.toISOString(),
          lastAt: lastAt.toISOString(),
          judgeRating: verdict?.rating ?? null,
          judgeName: verdict?.scorerName ?? null,
          judgeCheckedAt: verdict?.checkedAt.toISOString() ?? null,
          judges: verdict?.judges ?? [],
        })),
      },
    };
  };
}
