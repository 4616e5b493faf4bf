import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useApi } from "../shell/session.tsx";
import { FiguresTable } from "../ui/figures-table.tsx";
import { formatCost, formatCount, formatDuration, formatShare } from "../ui/format.ts";
import { Section } from "../ui/page.tsx";
import { Score } from "../ui/score.tsx";
import { Loaded } from "../ui/states.tsx";
import { overviewQueries, type Window } from "./queries.ts";
import { windowStart } from "./window-start.ts";

const columns = ["Model", "Traces", "Errors", "p50", "p95", "Mean rating", "Cost"] as const;

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
            <FiguresTable name="Models" columns={columns} className="min-w-160">
              {body.models.map((row) => (
                <tr key={row.model}>
                  <td>{row.model ?? <span className="text-faint">no model named</span>}</td>
                  <td>
                    <Link
                      to="/p/$projectId/traces"
                      params={{ projectId: api.projectId }}
                      search={{
                        from: windowStart(window),
                        source: "production",
                        ...(row.model !== null && { model: row.model }),
                      }}
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
            </FiguresTable>
          )
        }
      </Loaded>
    </Section>
  );
}
