import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useApi } from "../shell/session.tsx";
import { formatCost, formatCount, formatDuration, formatShare } from "../ui/format.ts";
import { Section } from "../ui/page.tsx";
import { Score } from "../ui/score.tsx";
import { Loaded } from "../ui/states.tsx";
import { overviewQueries, type Window } from "./queries.ts";
import { windowStart } from "./window-start.ts";

const columns = ["Traces", "Errors", "p50", "p95", "Mean rating", "Cost"];

/** A comparison of the models. */
export function ModelFigures({ window }: { window: Window }) {
  const api = useApi();
  const models = useQuery(overviewQueries(api, window).models);
  return (
    <Section title="Models">
      <Loaded query={models}>
        {(body) =>
          body.models.length === 0 ? (
            <p className="m-0 text-soft">No trace of this window names a model.</p>
          ) : (
            <div tabIndex={0} role="group" aria-label="Models, scrolls sideways" className="overflow-x-auto">
              <table className="w-full min-w-160 border-collapse text-left">
                <thead className="text-xs text-faint">
                  <tr className="border-b border-line [&_th]:h-8 [&_th]:font-normal">
                    <th scope="col">Model</th>
                    {columns.map((column) => (
                      <th key={column} scope="col" className="text-right">
                        {column}
                      </th>
                    ))}
                  </tr>
                </thead>
                <tbody>
                  {body.models.map((row) => (
                    <tr
                      key={row.model}
                      className="h-9 border-b border-line [&_td:not(:first-child)]:text-right [&_td]:tabular-nums"
                    >
                      <td>{row.model ?? <span className="text-faint">no model named</span>}</td>
                      <td>
                        <Link
                          to="/p/$projectId/traces"
                          params={{ projectId: api.projectId }}
                          search={{ from: windowStart(window), ...(row.model !== null && { model: row.model }) }}
                          className="text-ink hover:text-accent"
                        >
                          {formatCount(row.traces)}
                        </Link>
                      </td>
                      <td>{formatShare(row.errorRate)}</td>
                      <td>{formatDuration(row.latencyP50)}</td>
                      <td>{formatDuration(row.latencyP95)}</td>
                      <td>
                        <Score rating={row.meanRating} scorer={`mean of ${formatCount(row.ratings)} ratings`} />
                      </td>
                      <td>{formatCost(row.costUSD)}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </Loaded>
    </Section>
  );
}
