import { useQuery } from "@tanstack/react-query";
import { type CountedTraces, someOf, TracesLink } from "../blocks/traces-link.tsx";
import { useApi } from "../shell/session.tsx";
import { FiguresTable } from "../ui/figures-table.tsx";
import { formatCost, formatCount, formatShare } from "../ui/format.ts";
import { Section } from "../ui/page.tsx";
import { Score } from "../ui/score.tsx";
import { Loaded } from "../ui/states.tsx";
import { type VersionFigure, versionFiguresQuery } from "./queries.ts";

const columns = ["Version", "Traces", "Ended in an error", "Mean rating", "Cost per trace"] as const;
const numeric = new Intl.Collator("en", { numeric: true });

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
            <FiguresTable name="Versions in use" columns={columns} className="max-w-4xl min-w-140">
              {versions.toSorted(newestFirst).map((figure) => (
                <VersionRow key={figure.version} name={name} since={since} figure={figure} />
              ))}
            </FiguresTable>
          )
        }
      </Loaded>
    </Section>
  );
}

function VersionRow({ name, since, figure }: { name: string; since: string; figure: VersionFigure }) {
  const { version, traces, errors, rated, averageRating, costUSD } = figure;
  // No filter lists the traces that state no version.
  const listed: CountedTraces | undefined =
    version === null ? undefined : { prompt: name, from: since, promptVersion: version };
  return (
    <tr>
      <td className="truncate">{version ?? <span className="text-faint">no version named</span>}</td>
      <td>
        <TracesLink traces={listed}>{formatCount(traces)}</TracesLink>
      </td>
      <td>
        <TracesLink traces={someOf(listed && { ...listed, error: true }, errors)}>{formatCount(errors)}</TracesLink>{" "}
        <span className="text-soft">({formatShare(errors / traces)})</span>
      </td>
      <td>
        <TracesLink traces={someOf(listed && { ...listed, rating: "rated" }, rated)}>
          <Score rating={averageRating} scorer={`mean of ${formatCount(rated)} rated traces`} />
        </TracesLink>
      </td>
      <td>
        <TracesLink traces={someOf(listed, costUSD)}>
          {formatCost(costUSD === null ? null : costUSD / traces)}
        </TracesLink>
      </td>
    </tr>
  );
}

/** A trace that states no version is the last. */
const newestFirst = (one: VersionFigure, other: VersionFigure) =>
  numeric.compare(other.version ?? "", one.version ?? "");
