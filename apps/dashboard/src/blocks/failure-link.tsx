import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useApi } from "../shell/session.tsx";
import { nameFailure, raisesSignal } from "./failure-names.ts";
import { patternsQuery } from "./watching-queries.ts";
import { judgeScorersQuery } from "./why-queries.ts";

/** Names failures by the judges and patterns that found them. */
function useFailureName(): (patternKey: string) => string {
  const api = useApi();
  const judges = useQuery(judgeScorersQuery(api)).data ?? [];
  const patterns = useQuery(patternsQuery(api)).data ?? [];
  const known = {
    judges: new Map(judges.flatMap(({ name, online }) => (online ? [[online.profileId, online.name ?? name]] : []))),
    patterns: new Map(patterns.map(({ key, name }) => [key, name])),
  };
  return (patternKey) => nameFailure(patternKey, known);
}

/**
 * A failure of an agent with a link to its evidence: its signals, or the failing traces if it raises none. `from` is the start of
 * the counted period.
 */
export function FailureLink({
  patternKey,
  agentId,
  from,
}: {
  patternKey: string;
  agentId: string | null;
  from: string;
}) {
  const { projectId } = useApi();
  const name = useFailureName()(patternKey);
  const agent = agentId === null ? {} : { agent: agentId };
  const look = "text-ink hover:text-accent";
  if (!raisesSignal(patternKey)) {
    return (
      <Link
        to="/p/$projectId/traces"
        params={{ projectId }}
        search={{ ...agent, source: "production", from, rating: "failing" }}
        className={look}
      >
        {name}
      </Link>
    );
  }
  return (
    <Link
      to="/p/$projectId/inbox"
      params={{ projectId }}
      search={{ ...agent, status: "all", search: patternKey }}
      className={look}
    >
      {name}
    </Link>
  );
}
