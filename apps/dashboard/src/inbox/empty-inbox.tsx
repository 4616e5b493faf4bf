import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { patternsQuery } from "../blocks/watching-queries.ts";
import { useApi } from "../shell/session.tsx";
import { ButtonLink } from "../ui/button.tsx";
import { countOf } from "../ui/format.ts";
import { Badge } from "../ui/page.tsx";
import { EmptyState } from "../ui/states.tsx";
import { liveScorersQuery, type SignalFilters } from "./queries.ts";
import { statusNames } from "./rules.ts";

/** Shown in place of an empty list: the watched signals, or a way to remove the filters. */
export function EmptyInbox({ filters }: { filters: SignalFilters }) {
  const api = useApi();
  const params = { projectId: api.projectId };
  const { status, severity, agent, search } = filters;
  if (severity !== undefined || agent !== undefined || search !== undefined || status !== "open") {
    const name = status === "all" ? "signals" : `signals that are ${statusNames[status].toLowerCase()}`;
    return (
      <EmptyState
        title="Nothing matches"
        actions={
          <ButtonLink to="/p/$projectId/inbox" params={params} search={{}}>
            Show what is open
          </ButtonLink>
        }
      >
        There are no {name} with these filters.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      title="Nothing open"
      actions={
        <ButtonLink to="/p/$projectId/agents" params={params} search={{ tab: "patterns" }}>
          Patterns
        </ButtonLink>
      }
    >
      <Watched />
    </EmptyState>
  );
}

function Watched() {
  const api = useApi();
  const params = { projectId: api.projectId };
  const patterns = useQuery(patternsQuery(api)).data?.filter(({ enabled }) => enabled) ?? [];
  const scorers = useQuery(liveScorersQuery(api)).data?.filter(({ enabled }) => enabled) ?? [];
  return (
    <>
      <p className="m-0">
        Every trace is looked at as it comes in. A match of a pattern, a rating below a judge's threshold, a vote down
        and an alert rule bring a signal here.
      </p>
      {patterns.length + scorers.length > 0 && (
        <p className="m-0 mt-3 mb-2">
          Watched now: {countOf(patterns.length, "pattern")} and {countOf(scorers.length, "live judge")}.
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        {patterns.map(({ _id, name }) => (
          <Link key={_id} to="/p/$projectId/agents" params={params} search={{ tab: "patterns" }}>
            <Badge>{name}</Badge>
          </Link>
        ))}
        {scorers.map(({ _id, name }) => (
          <Badge key={_id}>{name}</Badge>
        ))}
      </div>
    </>
  );
}
