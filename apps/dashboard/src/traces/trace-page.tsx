import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useApi } from "../shell/session.tsx";
import { Page } from "../ui/page.tsx";
import { ProblemState, Skeleton } from "../ui/states.tsx";
import { outlineQuery, traceQuery } from "./trace-queries.ts";
import { TraceView } from "./trace-view.tsx";

const route = getRouteApi("/p/$projectId/traces/$traceId");

/** One trace: its spans in time, and the conversation of each. */
export function TracePage() {
  const api = useApi();
  const { traceId } = route.useParams();
  const outline = useQuery(outlineQuery(api, traceId));
  const trace = useQuery(traceQuery(api, traceId));
  const problem = outline.error ?? trace.error;
  if (outline.data !== undefined && trace.data !== undefined) {
    return <TraceView key={traceId} trace={trace.data} outline={outline.data} problem={problem} />;
  }
  const retry = (): void => {
    void outline.refetch();
    void trace.refetch();
  };
  return (
    <Page title="Trace">
      {problem === null ? <Skeleton rows={12} /> : <ProblemState problem={problem} onRetry={retry} />}
    </Page>
  );
}
