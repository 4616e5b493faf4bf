import { useQuery } from "@tanstack/react-query";
import { type CountedTraces, slowerThan, someOf, TracesLink } from "../blocks/traces-link.tsx";
import { useApi } from "../shell/session.tsx";
import { FiguresTable } from "../ui/figures-table.tsx";
import { formatCost, formatCount, formatDuration, formatShare } from "../ui/format.ts";
import { Section } from "../ui/page.tsx";
import { Score } from "../ui/score.tsx";
import { Loaded } from "../ui/states.tsx";
import { type ModelFigure, overviewQueries, type Window } from "./queries.ts";

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
                <ModelRow key={row.model} row={row} from={body.since} />
              ))}
            </FiguresTable>
          )
        }
      </Loaded>
    </Section>
  );
}

function ModelRow({ row, from }: { row: ModelFigure; from: string }) {
  const shown: CountedTraces = row.model === null ? { noModel: true } : { model: row.model };
  const traces: CountedTraces = { from, ...shown, source: "production" };
  // A trace shows one of its models; each of them has a cost.
  const priced: CountedTraces | undefined = row.model === null ? undefined : { from, usedModel: row.model };
  return (
    <tr>
      <td>{row.model ?? <span className="text-faint">no model named</span>}</td>
      <td>
        <TracesLink traces={traces}>{formatCount(row.traces)}</TracesLink>
      </td>
      <td>
        <TracesLink traces={someOf({ ...traces, error: true }, row.errors)}>{formatShare(row.errorRate)}</TracesLink>
      </td>
      <td>
        <TracesLink traces={slowerThan(traces, row.latencyP50)}>{formatDuration(row.latencyP50)}</TracesLink>
      </td>
      <td>
        <TracesLink traces={slowerThan(traces, row.latencyP95)}>{formatDuration(row.latencyP95)}</TracesLink>
      </td>
      <td>
        <TracesLink traces={someOf({ ...traces, rating: "rated" }, row.ratings)}>
          <Score rating={row.meanRating} scorer={`mean of ${formatCount(row.ratings)} ratings`} />
        </TracesLink>
      </td>
      <td>
        <TracesLink traces={someOf(priced, row.costUSD)}>{formatCost(row.costUSD)}</TracesLink>
      </td>
    </tr>
  );
}
