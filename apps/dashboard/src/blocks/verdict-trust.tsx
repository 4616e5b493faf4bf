import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useApi } from "../shell/session.tsx";
import { countOf } from "../ui/format.ts";
import { Interval } from "../ui/interval.tsx";
import { calibrationQuery } from "./why-queries.ts";

/** One line on how far people agree with the judge of a verdict, in its version then, with a link to the details. */
export function VerdictTrust({
  scorerId,
  evaluatorId,
  version,
}: {
  scorerId: string;
  evaluatorId: string;
  version: number;
}) {
  const api = useApi();
  const calibration = useQuery(calibrationQuery(api));
  if (calibration.data === undefined) return null;
  const { scorers, minPairs } = calibration.data;
  const found = scorers.find(
    ({ scorerKey, scorerVersion }) => scorerKey === `online-eval:${evaluatorId}` && scorerVersion === version,
  );
  return (
    <Link
      to="/p/$projectId/judges/$judgeId/agreement"
      params={{ projectId: api.projectId, judgeId: scorerId }}
      search={{ version }}
      className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-sm border border-line px-3 py-2 text-ink no-underline hover:bg-hover"
    >
      <span className="font-medium">Agreement with people</span>
      {found?.kappa == null || found.interval === null ? (
        <span className="text-soft">{sentence(found, minPairs)}</span>
      ) : (
        <>
          <Interval
            interval={found.interval}
            centre={found.kappa}
            domain={[-0.2, 1]}
            marks={[0]}
            label={`Kappa ${found.kappa.toFixed(2)}, from ${found.interval.low.toFixed(2)} to ${found.interval.high.toFixed(2)}`}
            className="w-24!"
          />
          <span className="text-soft tabular-nums">
            kappa {found.kappa.toFixed(2)} ({found.interval.low.toFixed(2)} to {found.interval.high.toFixed(2)}),{" "}
            {countOf(found.pairs, "label")}
          </span>
        </>
      )}
    </Link>
  );
}

function sentence(found: { pairs: number } | undefined, minPairs: number): string {
  const pairs = found?.pairs ?? 0;
  if (pairs < minPairs) return `not known: ${countOf(minPairs - pairs, "more label")} needed`;
  return "not known: one side always says the same";
}
