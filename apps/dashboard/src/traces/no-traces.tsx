import { useQuery } from "@tanstack/react-query";
import { FirstTrace } from "../blocks/first-trace.tsx";
import { useApi } from "../shell/session.tsx";
import { ButtonLink } from "../ui/button.tsx";
import { countOf } from "../ui/format.ts";
import { EmptyState, Loaded } from "../ui/states.tsx";
import { agentNamesQuery, retentionDaysQuery } from "./list-queries.ts";

/** Shown if the project has no traces: how to send the first, or why earlier ones are gone. */
export function NoTraces() {
  const api = useApi();
  const agents = useQuery(agentNamesQuery(api));
  return (
    <Loaded query={agents}>
      {(known) => (known.length === 0 ? <FirstTrace /> : <AgedOut count={known.length} />)}
    </Loaded>
  );
}

function AgedOut({ count }: { count: number }) {
  const api = useApi();
  const days = useQuery(retentionDaysQuery(api)).data;
  return (
    <EmptyState
      title="No traces left"
      actions={
        <ButtonLink to="/p/$projectId/settings" params={{ projectId: api.projectId }}>
          Settings
        </ButtonLink>
      }
    >
      {countOf(count, "agent")} sent traces to this project, and none is left.{" "}
      {days == null ? "They were deleted." : `Traces age out after ${countOf(days, "day")}, or they were deleted.`} New
      ones appear here as they are stored.
    </EmptyState>
  );
}
