import { lengthOf, limits, readDashboardWindow, routes } from "@touchstone/contracts";
import { type Clock, type Handler, requireProject, type ServedRoute } from "@touchstone/service-kit";
import type { SessionStore } from "../trace-store/reading/session-store.ts";
import type { TraceStore } from "../trace-store/trace-store.ts";
import { isPreview } from "../traces/read-root-filter.ts";
import { previewInput } from "../traces/show-trace.ts";

/** The list of sessions. */
export function sessionRoutes(dependencies: {
  sessions: SessionStore;
  traces: Pick<TraceStore, "readRoots">;
  clock: Clock;
  reads(handle: Handler): Handler;
}): ServedRoute[] {
  const { reads } = dependencies;
  return [{ route: routes.listSessions, handle: reads(listSessions(dependencies)) }];
}

/** Roots whose bodies are in memory at a time. */
const readAtOnce = 50;

/**
 * `GET /agent-monitoring/sessions`: the sessions of a window, newest activity first (completions 2.7). Only the preview
 * reads inputs.
 */
function listSessions({
  sessions,
  traces,
  clock,
}: {
  sessions: SessionStore;
  traces: Pick<TraceStore, "readRoots">;
  clock: Clock;
}): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const window = readDashboardWindow([call.query.window].flat()[0]);
    const sinceMs = clock.now() - lengthOf(window);
    const listed = await sessions.listSessions(projectId, sinceMs, limits.sessionsListedMax);
    const rootIds = listed.flatMap(({ firstRootId }) => firstRootId ?? []);
    const inputs = isPreview(call.query) ? await readInputs(traces, projectId, rootIds) : null;
    return {
      status: 200,
      body: {
        window,
        sessions: listed.map(({ agent, firstRootId, firstAt, lastAt, verdict, ...session }) => ({
          ...session,
          agentId: agent?.id ?? null,
          agentName: agent?.name ?? null,
          ...(inputs !== null && { firstInput: (firstRootId && inputs.get(firstRootId)) ?? null }),
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

/** The inputs of these roots, by root id. */
async function readInputs(
  traces: Pick<TraceStore, "readRoots">,
  projectId: string,
  ids: readonly string[],
): Promise<Map<string, string | null>> {
  const inputs = new Map<string, string | null>();
  for (let from = 0; from < ids.length; from += readAtOnce) {
    for await (const part of traces.readRoots(projectId, ids.slice(from, from + readAtOnce))) {
      for (const root of part) inputs.set(root.id, await previewInput(root));
    }
  }
  return inputs;
}
