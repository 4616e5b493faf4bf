import { limits } from "@touchstone/contracts";
import type { Clock, Handler } from "@touchstone/service-kit";
import type { SessionStore } from "../../sessions/session-store.ts";
import { requireProject } from "../require-project.ts";

const hourMs = 60 * 60 * 1000;
const windowsMs = { "24h": 24 * hourMs, "7d": 7 * 24 * hourMs, "30d": 30 * 24 * hourMs };
type Window = keyof typeof windowsMs;

/** `GET /agent-monitoring/sessions`: the sessions of a window, newest activity first (completions 2.7). */
export function listSessions({ sessions, clock }: { sessions: SessionStore; clock: Clock }): Handler {
  return async (call) => {
    const window = readWindow([call.query.window].flat()[0]);
    const sinceMs = clock.now() - windowsMs[window];
    const listed = await sessions.listSessions(requireProject(call.identity), sinceMs, limits.sessionsListedMax);
    return {
      status: 200,
      body: {
        window,
        sessions: listed.map(({ agent, firstAt, lastAt, ...session }) => ({
          ...session,
          agentId: agent?.id ?? null,
          agentName: agent?.name ?? null,
          firstAt: firstAt.toISOString(),
          lastAt: lastAt.toISOString(),
          // Live judging is not part of this version.
          judgeRating: null,
          judgeName: null,
          judgeCheckedAt: null,
          judges: [],
        })),
      },
    };
  };
}

/** Anything else is seven days (completions 9.5). */
function readWindow(text: string | undefined): Window {
  return text !== undefined && Object.hasOwn(windowsMs, text) ? (text as Window) : "7d";
}
