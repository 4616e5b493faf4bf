import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useApi } from "../shell/session.tsx";
import { IconButton } from "../ui/button.tsx";
import { classNames } from "../ui/class-names.ts";
import { formatCount, formatDuration, formatRating } from "../ui/format.ts";
import { ChevronLeftIcon, ChevronRightIcon } from "../ui/icons.tsx";
import { useShortcuts } from "../ui/shortcuts.tsx";
import { SidePanel } from "../ui/side-panel.tsx";
import type { CaseRow, ResultRow, Run } from "./case-rows.ts";
import { CaseTexts } from "./case-texts.tsx";
import { comparisonQuery, datasetQuery } from "./queries.ts";
import { ResultVerdicts } from "./result-verdicts.tsx";
import type { RunCases } from "./run-cases.ts";

/** A case of a run: what was asked, answered and expected, and what every scorer said of it. */
export function CasePanel({
  row,
  run,
  cases,
  onChoose,
}: {
  row: CaseRow;
  run: Run;
  cases: RunCases;
  onChoose(key: string | undefined): void;
}) {
  const api = useApi();
  const [shownIndex, show] = useState(0);
  const results = [...row.results, ...row.variants];
  const result = results[shownIndex] ?? (results[0] as ResultRow);
  const place = cases.shown.findIndex(({ key }) => key === row.key);
  const before = cases.shown[place - 1];
  const after = cases.shown[place + 1];
  useShortcuts("Case", [
    { keys: "[", label: "Case before", run: () => before && onChoose(before.key) },
    { keys: "]", label: "Next case", run: () => after && onChoose(after.key) },
  ]);
  const dataset = useQuery(datasetQuery(api, run.datasetId));
  const asked = row.questionIndex === null ? undefined : dataset.data?.questions[row.questionIndex]?.main_question;
  const comparison = useQuery({
    ...comparisonQuery(api, cases.baselineId ?? "", run._id),
    enabled: cases.baselineId !== null,
  });
  const earlier = comparison.data?.cases.find(({ questionIndex }) => questionIndex === row.questionIndex)?.baseline;
  return (
    <SidePanel
      title={row.questionIndex === null ? "Result without a case" : `Case ${row.questionIndex}`}
      onClose={() => onChoose(undefined)}
      actions={
        <>
          <IconButton
            label="Case before ([)"
            disabled={before === undefined}
            onClick={() => before && onChoose(before.key)}
          >
            <ChevronLeftIcon />
          </IconButton>
          <IconButton label="Next case (])" disabled={after === undefined} onClick={() => after && onChoose(after.key)}>
            <ChevronRightIcon />
          </IconButton>
        </>
      }
    >
      <div className="flex flex-col gap-5">
        {results.length > 1 && <Repetitions results={results} shown={result} onShow={show} />}
        <CaseTexts
          question={result.smokeTestVariantText ?? result.input?.query ?? row.question}
          answer={result.output?.text ?? null}
          error={result.error}
          // The dataset may have been edited since: what is expected of another question is not shown.
          expected={asked !== undefined && asked.query === row.question ? (asked.expectedResults ?? null) : null}
          earlier={earlier?.output ?? null}
        />
        <ResultVerdicts result={result} run={run} />
        <Facts result={result} projectId={api.projectId} />
      </div>
    </SidePanel>
  );
}

/** The repetitions of a case and its paraphrases, to choose one. */
function Repetitions({
  results,
  shown,
  onShow,
}: {
  results: readonly ResultRow[];
  shown: ResultRow;
  onShow(index: number): void;
}) {
  return (
    <fieldset className="m-0 flex flex-wrap gap-1.5 border-0 p-0">
      <legend className="sr-only">Repetition</legend>
      {results.map((result, index) => (
        <button
          key={index}
          type="button"
          aria-pressed={result === shown}
          onClick={() => onShow(index)}
          className={classNames(
            "h-7 rounded-sm border px-2 text-xs tabular-nums max-md:h-11",
            result === shown ? "border-accent bg-chosen text-ink" : "border-line text-soft hover:bg-hover",
          )}
        >
          {result.isSmokeTestVariant ? "Paraphrase" : `Run ${result.runNumber ?? index + 1}`}{" "}
          <span className="font-medium text-ink">{formatRating(result.rating)}</span>
        </button>
      ))}
    </fieldset>
  );
}

function Facts({ result, projectId }: { result: ResultRow; projectId: string }) {
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
          <Link to="/p/$projectId/traces/$traceId" params={{ projectId, traceId }} className="text-accent">
            Open the trace
          </Link>
        )}
      </dd>
    </dl>
  );
}
