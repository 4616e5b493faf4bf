import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { MediaText } from "../blocks/media-text.tsx";
import { verdictsOfResult } from "../blocks/verdict-sources.ts";
import { WhyPanel } from "../blocks/why-panel.tsx";
import { useApi } from "../shell/session.tsx";
import { Delta } from "../ui/delta.tsx";
import { Markdown } from "../ui/markdown.tsx";
import { useShortcuts } from "../ui/shortcuts.tsx";
import { SidePanel } from "../ui/side-panel.tsx";
import { useToasts } from "../ui/toasts.tsx";
import type { ResultRow, Run } from "./case-rows.ts";
import { CompareAnswers } from "./compare-answers.tsx";
import type { CompareRow, Comparison } from "./compare-rows.ts";
import { CompareSide } from "./compare-side.tsx";
import { NeighbourButtons, useNeighbourKeys } from "./neighbours.tsx";
import { useWholeSide } from "./whole-side.ts";

const route = getRouteApi("/p/$projectId/runs/compare");

type SideName = "baseline" | "candidate";

/** One case of two runs with its full texts: the answers, the reasons for the ratings, and links to the traces. */
export function CompareCase({
  row,
  comparison,
  runs,
  shown,
  onChoose,
}: {
  row: CompareRow;
  comparison: Comparison;
  runs: Record<SideName, Run | undefined>;
  shown: readonly CompareRow[];
  onChoose(key: string | undefined): void;
}) {
  const { projectId } = useApi();
  const { why } = route.useSearch();
  const navigate = useNavigate({ from: "/p/$projectId/runs/compare" });
  const toasts = useToasts();
  const { baselineRun, candidateRun, comparedScorer } = comparison;
  const scorerId = comparedScorer?.id ?? null;
  const baseline = useWholeSide(baselineRun.runId, row.baseline, scorerId);
  const candidate = useWholeSide(candidateRun.runId, row.candidate, scorerId);
  const place = shown.findIndex(({ key }) => key === row.key);
  const before = shown[place - 1];
  const after = place === -1 ? undefined : shown[place + 1];
  const neighbours = {
    before: before && (() => onChoose(before.key)),
    after: after && (() => onChoose(after.key)),
  };
  useNeighbourKeys(neighbours);

  const showWhy = (side: SideName | undefined): void =>
    void navigate({ search: (now) => ({ ...now, why: side }), replace: why !== undefined });
  const openTrace = (side: SideName): void => {
    const { traceId } = row[side];
    if (traceId === null) toasts.say(`No trace is linked to the ${side}'s result.`);
    else void navigate({ to: "/p/$projectId/traces/$traceId", params: { projectId, traceId } });
  };
  useShortcuts("Case", [
    { keys: "t", label: "Open the candidate's trace", run: () => openTrace("candidate") },
    { keys: "T", label: "Open the baseline's trace", run: () => openTrace("baseline") },
    { keys: "w", label: "Why the candidate is rated so", run: () => showWhy(toggled(why, "candidate")) },
    { keys: "W", label: "Why the baseline is rated so", run: () => showWhy(toggled(why, "baseline")) },
  ]);

  const explained = why && { result: { baseline, candidate }[why].result, run: runs[why] };
  if (explained?.result !== undefined && explained.run !== undefined) {
    return (
      <WhyPanel
        key={why}
        verdicts={verdictsOfResult(explained.result, explained.run)}
        chosen={scorerId ?? "primary"}
        onClose={() => showWhy(undefined)}
      />
    );
  }
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
      actions={<NeighbourButtons {...neighbours} />}
    >
      <div className="flex flex-col gap-5">
        <section>
          <h3 className="m-0 mb-1 text-xs font-normal text-faint">Question</h3>
          <MediaText
            text={questionOf(candidate.result) ?? questionOf(baseline.result) ?? row.query ?? "-"}
            show={(text) => <Markdown text={text} />}
          />
        </section>
        <CompareAnswers
          baseline={baseline}
          candidate={candidate}
          expected={candidate.result?.expected ?? baseline.result?.expected ?? row.expected}
        />
        <section className="grid gap-4 sm:grid-cols-2">
          <CompareSide
            title={`Baseline ${baselineRun.version ?? ""}`}
            runId={baselineRun.runId}
            side={baseline}
            onWhy={() => showWhy("baseline")}
          />
          <CompareSide
            title={`Candidate ${candidateRun.version ?? ""}`}
            runId={candidateRun.runId}
            side={candidate}
            onWhy={() => showWhy("candidate")}
          />
        </section>
      </div>
    </SidePanel>
  );
}

const toggled = (shown: SideName | undefined, side: SideName) => (shown === side ? undefined : side);
const questionOf = (result: ResultRow | undefined) => result?.questionText ?? result?.input?.query;
