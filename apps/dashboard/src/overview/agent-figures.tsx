import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useApi } from "../shell/session.tsx";
import { formatCount, formatShare } from "../ui/format.ts";
import { Section } from "../ui/page.tsx";
import { Loaded } from "../ui/states.tsx";
import { overviewQueries, type Window } from "./queries.ts";
import { windowStart } from "./window-start.ts";

/** The agents that fail most, each with the way to its traces. */
export function AgentFigures({ window }: { window: Window }) {
  const api = useApi();
  const failing = useQuery(overviewQueries(api, window).failing);
  const params = { projectId: api.projectId };
  const from = windowStart(window);
  return (
    <Section title="Agents" aside="those that fail most first">
      <Loaded query={failing}>
        {({ agents }) =>
          agents.length === 0 ? (
            <p className="m-0 text-soft">No agent ran in this window.</p>
          ) : (
            <table className="w-full border-collapse text-left">
              <thead className="text-xs text-faint">
                <tr className="border-b border-line [&_th]:h-8 [&_th]:font-normal">
                  <th scope="col">Agent</th>
                  <th scope="col" className="text-right">
                    Runs
                  </th>
                  <th scope="col" className="text-right">
                    Failing
                  </th>
                  <th scope="col" className="text-right">
                    Rate
                  </th>
                </tr>
              </thead>
              <tbody>
                {agents.map(({ agentId, name, totalRuns, failingRuns, failureRate }) => (
                  <tr key={agentId} className="h-9 border-b border-line max-md:h-11">
                    <td className="max-w-0 truncate">
                      {agentId === null ? (
                        <span className="text-faint">no agent</span>
                      ) : (
                        <Link
                          to="/p/$projectId/agents/$agentId"
                          params={{ ...params, agentId }}
                          className="text-ink hover:text-accent"
                        >
                          {name ?? agentId}
                        </Link>
                      )}
                    </td>
                    <td className="text-right tabular-nums">
                      <Link
                        to="/p/$projectId/traces"
                        params={params}
                        search={{ from, ...(agentId !== null && { agent: agentId }) }}
                        className="text-ink hover:text-accent"
                      >
                        {formatCount(totalRuns)}
                      </Link>
                    </td>
                    <td className="text-right tabular-nums">
                      {failingRuns === 0 ? (
                        "0"
                      ) : (
                        <Link
                          to="/p/$projectId/traces"
                          params={params}
                          search={{ from, rating: "failing", ...(agentId !== null && { agent: agentId }) }}
                          className="text-ink hover:text-accent"
                        >
                          {formatCount(failingRuns)}
                        </Link>
                      )}
                    </td>
                    <td className="w-32 text-right tabular-nums">
                      <Share value={failureRate} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          )
        }
      </Loaded>
    </Section>
  );
}

/** A share as its number beside a bar. */
function Share({ value }: { value: number | null }) {
  return (
    <span className="inline-flex w-full items-center justify-end gap-2">
      <span aria-hidden className="h-1.5 w-12 rounded-full bg-panel">
        <span className="block h-full rounded-full bg-score-2" style={{ width: `${(value ?? 0) * 100}%` }} />
      </span>
      <span className="w-12">{formatShare(value)}</span>
    </span>
  );
}
