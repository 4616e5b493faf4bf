import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { TraceLink } from "../blocks/evidence-links.tsx";
import { useApi } from "../shell/session.tsx";
import { classNames } from "../ui/class-names.ts";
import { formatCount, formatDuration, formatRating } from "../ui/format.ts";
import { caseKeyOf, type ResultRow, type Run, ratingBy } from "./case-rows.ts";
import { CaseTexts } from "./case-texts.tsx";
import { TraceScores } from "./client-scores.tsx";
import { caseQuery } from "./queries.ts";
import { ResultVerdicts } from "./result-verdicts.tsx";

const route = getRouteApi("/p/$projectId/runs/$runId");

/** A case of a run: its question, the answer, the expected answer, and the verdict of each scorer. */
export function CaseContent({
  results,
  shown,
  run,
  baselineId,
}: {
  results: readonly ResultRow[];
  shown: ResultRow;
  run: Run;
  baselineId: string | null;
}) {
  const api = useApi();
  const { scorer } = route.useSearch();
  const navigate = useNavigate({ from: "/p/$projectId/runs/$runId" });
  const earlier = useQuery({
    ...caseQuery(api, baselineId ?? "", { key: caseKeyOf(shown), scorer: undefined, baselineId: null }),
    enabled: baselineId !== null && shown.questionIndex !== null,
    // Another version of the dataset may have another question there.
  }).data?.find((each) => !each.isSmokeTestVariant && each.questionText === shown.questionText);
  return (
    <div className="flex flex-col gap-5">
      {results.length > 1 && (
        <Repetitions
          results={results}
          shown={shown}
          scorerId={scorer ?? null}
          onShow={(result) => void navigate({ search: (before) => ({ ...before, result }), replace: true })}
        />
      )}
      <CaseTexts
        question={shown.smokeTestVariantText ?? shown.questionText ?? shown.input?.query ?? null}
        answer={shown.output?.text ?? null}
        error={shown.error}
        expected={shown.expected}
        earlier={earlier?.output?.text ?? null}
      />
      <ResultVerdicts
        result={shown}
        run={run}
        onWhy={(why) => void navigate({ search: (before) => ({ ...before, why, result: shown._id }) })}
      />
      <TraceScores result={shown} />
      <Facts result={shown} />
    </div>
  );
}

/** The choice of a repetition or paraphrase of a case. */
function Repetitions({
  results,
  shown,
  scorerId,
  onShow,
}: {
  results: readonly ResultRow[];
  shown: ResultRow;
  scorerId: string | null;
  onShow(id: string): void;
}) {
  return (
    <fieldset className="m-0 flex flex-wrap gap-1.5 border-0 p-0">
      <legend className="sr-only">Repetition</legend>
      {results.map((result, index) => (
        <button
          key={result._id}
          type="button"
          aria-pressed={result === shown}
          onClick={() => onShow(result._id)}
          className={classNames(
            "h-7 rounded-sm border px-2 text-xs tabular-nums max-md:h-11",
            result === shown ? "border-accent bg-chosen text-ink" : "border-line text-soft hover:bg-hover",
          )}
        >
          {result.isSmokeTestVariant ? "Paraphrase" : `Run ${result.runNumber ?? index + 1}`}{" "}
          <span className="font-medium text-ink">{formatRating(ratingBy(result, scorerId))}</span>
        </button>
      ))}
    </fieldset>
  );
}

function Facts({ result }: { result: ResultRow }) {
  const { traceId, latencyMs, inputTokens, outputTokens } = result;
  return (
    <dl className="m-0 grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-soft [&_dd]:m-0 [&_dd]:text-ink [&_dd]:tabular-nums">
      <dt>Latency</dt>
      <dd>{formatDuration(latencyMs)}</dd>
      <dt>Tokens</dt>
      <dd>
        {formatCount(inputTokens)} in, {formatCount(outputTokens)} out
      </dd>
      <dt>Trace</dt>
      <dd>
        {traceId === null ? (
          <span className="text-soft">none was linked</span>
        ) : (
          <TraceLink traceId={traceId}>Open the trace</TraceLink>
        )}
      </dd>
    </dl>
  );
}
