import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useApi } from "../shell/session.tsx";
import { formatCost, formatCount, formatShare } from "../ui/format.ts";
import { Section } from "../ui/page.tsx";
import { Score } from "../ui/score.tsx";
import { Loaded } from "../ui/states.tsx";
import { type VersionFigure, versionFiguresQuery } from "./queries.ts";

const columns = ["Traces", "Ended in an error", "Mean rating", "Cost per trace"];

/** How the traces of the last 30 days did that name the prompt, by its version. */
export function VersionFigures({ promptName }: { promptName: string }) {
  const figures = useQuery(versionFiguresQuery(useApi(), promptName));
  return (
    <Section title="In use" aside="Traces of the last 30 days that name this prompt">
      <Loaded query={figures}>
        {({ name, since, versions }) =>
          versions.length === 0 ? (
            <p className="m-0 max-w-2xl text-soft">
              None. A span names its prompt by the attributes <code>gen_ai.prompt.name</code> and{" "}
              <code>gen_ai.prompt.version</code>; Langfuse's clients set theirs when a generation has a prompt.
            </p>
          ) : (
            <div tabIndex={0} role="group" aria-label="Versions in use, scrolls sideways" className="overflow-x-auto">
              <table aria-label="Versions in use" className="w-full max-w-4xl min-w-140 border-collapse text-left">
                <thead className="text-xs text-faint">
                  <tr className="border-b border-line [&_th]:h-8 [&_th]:font-normal">
                    <th scope="col">Version</th>
                    {columns.map((column) => (
                      <th key={column} scope="col" className="text-right">
                        {column}
                      </th>
                    ))}
                  </tr>
                </thead>
                <tbody>
                  {versions.map((figure) => (
                    <VersionRow key={figure.version} name={name} since={since} figure={figure} />
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

function VersionRow({ name, since, figure }: { name: string; since: string; figure: VersionFigure }) {
  const params = { projectId: useApi().projectId };
  const { version, traces, errors, rated, averageRating, costUSD } = figure;
  const listed = { prompt: name, from: since, ...(version !== null && { promptVersion: version }) };
  const look = "text-ink hover:text-accent";
  return (
    <tr className="h-9 border-b border-line [&_td:not(:first-child)]:text-right [&_td]:tabular-nums">
      <td className="truncate">{version ?? <span className="text-faint">no version named</span>}</td>
      <td>
        <Link to="/p/$projectId/traces" params={params} search={listed} className={look}>
          {formatCount(traces)}
        </Link>
      </td>
      <td>
        {errors === 0 ? (
          "0"
        ) : (
          <Link to="/p/$projectId/traces" params={params} search={{ ...listed, error: true }} className={look}>
            {formatCount(errors)}
          </Link>
        )}{" "}
        <span className="text-soft">({formatShare(errors / traces)})</span>
      </td>
      <td>
        <Score rating={averageRating} scorer={`mean of ${formatCount(rated)} rated traces`} />
      </td>
      <td>{formatCost(costUSD === null ? null : costUSD / traces)}</td>
    </tr>
  );
}
