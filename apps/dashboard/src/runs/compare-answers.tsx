import { getRouteApi, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { MediaText } from "../blocks/media-text.tsx";
import { Markdown } from "../ui/markdown.tsx";
import { useShortcuts } from "../ui/shortcuts.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { WordDiff } from "../ui/word-diff.tsx";
import type { WholeSide } from "./whole-side.ts";

const route = getRouteApi("/p/$projectId/runs/compare");

type View = "sides" | "diff" | "expected";

/** Both answers side by side, as a word diff, or against the expected answer. `d` toggles the word diff. */
export function CompareAnswers({
  baseline,
  candidate,
  expected,
}: {
  baseline: WholeSide;
  candidate: WholeSide;
  expected: string | null;
}) {
  const { text } = route.useSearch();
  const navigate = useNavigate({ from: "/p/$projectId/runs/compare" });
  const views: { key: View; label: string }[] = [
    { key: "sides", label: "Answers" },
    { key: "diff", label: "Word by word" },
    ...(expected === null ? [] : [{ key: "expected" as const, label: "Against expected" }]),
  ];
  const view = views.find(({ key }) => key === text)?.key ?? "sides";
  // The choice is kept for the next case.
  const choose = (next: View): void =>
    void navigate({ search: (before) => ({ ...before, text: next === "sides" ? undefined : next }), replace: true });
  useShortcuts("Case", [
    { keys: "d", label: "Show the difference word by word", run: () => choose(view === "diff" ? "sides" : "diff") },
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
            {expected !== null && (
              <Labelled title="Expected">
                <MediaText text={expected} show={(text) => <Markdown text={text} />} />
              </Labelled>
            )}
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

function Answer({ title, side }: { title: string; side: WholeSide }) {
  return (
    <Labelled title={title}>
      {side.error !== null && (
        <p className="m-0 mb-2 rounded-sm bg-bad-ground px-2.5 py-1.5 text-bad">
          {side.error.type ?? "Error"}: {side.error.message ?? "no message"}
        </p>
      )}
      {side.output !== null ? (
        <MediaText text={side.output} show={(text) => <Markdown text={text} />} />
      ) : (
        side.error === null && <span className="text-soft">none</span>
      )}
    </Labelled>
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
