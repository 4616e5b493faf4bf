import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { useApi } from "../shell/session.tsx";
import { IconButton } from "../ui/button.tsx";
import { ChevronLeftIcon, ChevronRightIcon } from "../ui/icons.tsx";
import { Markdown } from "../ui/markdown.tsx";
import { Badge } from "../ui/page.tsx";
import { Score } from "../ui/score.tsx";
import { useShortcuts } from "../ui/shortcuts.tsx";
import { SidePanel } from "../ui/side-panel.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { WordDiff } from "../ui/word-diff.tsx";
import type { ComparedCase, CompareRow, Comparison } from "./compare-rows.ts";
import { Delta } from "./delta.tsx";
import { datasetQuery } from "./queries.ts";

type View = "sides" | "diff" | "expected";

/** One case of two runs: both answers side by side, word by word, and against what was expected. `d` goes through these. */
export function CompareCase({
  row,
  comparison,
  shown,
  datasetId,
  onChoose,
}: {
  row: CompareRow;
  comparison: Comparison;
  shown: readonly CompareRow[];
  datasetId: string | undefined;
  onChoose(key: string | undefined): void;
}) {
  const api = useApi();
  const dataset = useQuery({ ...datasetQuery(api, datasetId ?? ""), enabled: datasetId !== undefined });
  const asked = row.questionIndex === null ? undefined : dataset.data?.questions[row.questionIndex]?.main_question;
  const expected = asked !== undefined && asked.query === row.query ? (asked.expectedResults ?? null) : null;
  const place = shown.findIndex(({ key }) => key === row.key);
  const before = shown[place - 1];
  const after = shown[place + 1];
  useShortcuts("Case", [
    { keys: "[", label: "Case before", run: () => before && onChoose(before.key) },
    { keys: "]", label: "Next case", run: () => after && onChoose(after.key) },
  ]);
  const { baselineRun, candidateRun } = comparison;
  return (
    <SidePanel
      title={
        <>
          {row.questionIndex === null ? "Results without a case" : `Case ${row.questionIndex}`}
          <span className="ml-3 text-sm font-normal">
            <Delta value={row.delta} />
          </span>
        </>
      }
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
        <section>
          <h3 className="m-0 mb-1 text-xs font-normal text-faint">Question</h3>
          <Markdown text={row.query ?? "-"} />
        </section>
        <Answers row={row} expected={expected} />
        <section className="grid gap-4 sm:grid-cols-2">
          <Reason
            title={`Baseline ${baselineRun.version ?? ""}`}
            runId={baselineRun.runId}
            row={row}
            side={row.baseline}
          />
          <Reason
            title={`Candidate ${candidateRun.version ?? ""}`}
            runId={candidateRun.runId}
            row={row}
            side={row.candidate}
          />
        </section>
      </div>
    </SidePanel>
  );
}

function Answers({ row: { baseline, candidate }, expected }: { row: CompareRow; expected: string | null }) {
  const [chosen, choose] = useState<View>("sides");
  const views: { key: View; label: string }[] = [
    { key: "sides", label: "Answers" },
    { key: "diff", label: "Word by word" },
    ...(expected === null ? [] : [{ key: "expected" as const, label: "Against expected" }]),
  ];
  const view = views.some(({ key }) => key === chosen) ? chosen : "sides";
  useShortcuts("Case", [
    {
      keys: "d",
      label: "Next way to show the differences",
      run: () => choose(views[(views.findIndex(({ key }) => key === view) + 1) % views.length]?.key ?? "sides"),
    },
  ]);
  return (
    <div>
      <Tabs<View> label="Answers" tabs={views} chosen={view} onChoose={choose} className="flex flex-col gap-4 pt-3">
        {view === "sides" && (
          <>
            <div className="grid gap-4 sm:grid-cols-2">
              <Answer title="Baseline" side={baseline} />
              <Answer title="Candidate" side={candidate} />
            </div>
            {expected !== null && <Labelled title="Expected">{<Markdown text={expected} />}</Labelled>}
          </>
        )}
        {view === "diff" && (
          <Labelled title="From the baseline to the candidate">
            <WordDiff before={baseline.output ?? ""} after={candidate.output ?? ""} />
          </Labelled>
        )}
        {view === "expected" && (
          <>
            <Labelled title="From expected to the baseline">
              <WordDiff before={expected ?? ""} after={baseline.output ?? ""} />
            </Labelled>
            <Labelled title="From expected to the candidate">
              <WordDiff before={expected ?? ""} after={candidate.output ?? ""} />
            </Labelled>
          </>
        )}
      </Tabs>
    </div>
  );
}

function Answer({ title, side }: { title: string; side: ComparedCase["baseline"] }) {
  return (
    <Labelled title={title}>
      {side.error !== null && (
        <p className="m-0 mb-2 rounded-sm bg-bad-ground px-2.5 py-1.5 text-bad">
          {side.error.type ?? "Error"}: {side.error.message ?? "no message"}
        </p>
      )}
      {side.output !== null ? (
        <Markdown text={side.output} />
      ) : (
        side.error === null && <span className="text-soft">none</span>
      )}
    </Labelled>
  );
}

/** A side's rating, why, and the way to the case in its run. */
function Reason({
  title,
  runId,
  row,
  side,
}: {
  title: string;
  runId: string;
  row: CompareRow;
  side: ComparedCase["baseline"];
}) {
  const { projectId } = useApi();
  return (
    <div className="min-w-0 border-t border-line pt-3">
      <div className="mb-1 flex flex-wrap items-center gap-x-3">
        <span className="font-medium">{title}</span>
        <Score rating={side.rating} />
        {side.error !== null && <Badge look="bad">failed</Badge>}
      </div>
      {side.justification !== null && (
        <div className="text-soft">
          <Markdown text={side.justification} />
        </div>
      )}
      <Link
        to="/p/$projectId/runs/$runId"
        params={{ projectId, runId }}
        search={{ case: row.key }}
        className="mt-2 inline-block text-accent"
      >
        Open in its run
      </Link>
    </div>
  );
}

function Labelled({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <h3 className="m-0 mb-1 text-xs font-normal text-faint">{title}</h3>
      {children}
    </div>
  );
}
