import type { Queryable } from "@touchstone/db";
import type { ReadSpan } from "../model/read-span.ts";
import { readSpanSlices } from "../trace-store/reading/span-slices.ts";
import type { DueTrace } from "../trace-store/settling/due-traces.ts";
import { createRootFinder, readPlaces } from "../trace-store/settling/trace-places.ts";

/** Of one trace: only the first children, as many as judges see. */
const childrenMax = 2_000;

/**
 * The child spans of these traces as they are shown, each with the agent of its root. `read` is scoped to the project.
 */
export async function* readSettledChildren(
  read: Queryable["query"],
  projectId: string,
  traces: readonly DueTrace[],
): AsyncIterable<{ trace: DueTrace; child: ReadSpan }> {
  for (const trace of traces) {
    const places = await readPlaces(read, trace);
    const findRoot = createRootFinder(places);
    const children = places.filter((place) => !place.is_root).slice(0, childrenMax);
    const agents = new Map(children.map(({ id, span_id }) => [id, findRoot(span_id)?.agent_id ?? null]));
    for await (const slice of readSpanSlices(read, { projectId, ids: [...agents.keys()], metadata: false })) {
      for (const child of slice) yield { trace, child: { ...child, agentId: agents.get(child.id) ?? null } };
    }
  }
}
