import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { MediaText } from "../blocks/media-text.tsx";
import { Markdown } from "../ui/markdown.tsx";
import { useShortcuts } from "../ui/shortcuts.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { WordDiff } from "../ui/word-diff.tsx";

const route = getRouteApi("/p/$projectId/runs/$runId");

type View = "answer" | "expected" | "earlier";

/**
 * The question and the answer: the plain answer, or its word diff against the expected answer or that of the previous run. `d`
 * cycles through these.
 */
export function CaseTexts({
  question,
  answer,
  error,
  expected,
  earlier,
}: {
  question: string | null;
  answer: string | null;
  error: { type?: string; message?: string } | null;
  expected: string | null;
  earlier: string | null;
}) {
  const { text: chosen = "answer" } = route.useSearch();
  const navigate = useNavigate({ from: "/p/$projectId/runs/$runId" });
  // The choice is kept for the next case.
  const choose = (next: View): void =>
    void navigate({ search: (before) => ({ ...before, text: next === "answer" ? undefined : next }), replace: true });
  const views: { key: View; label: string }[] = [
    { key: "answer", label: "Answer" },
    ...(expected !== null ? [{ key: "expected" as const, label: "Against expected" }] : []),
    ...(earlier !== null ? [{ key: "earlier" as const, label: "Against the run before" }] : []),
  ];
  const view = views.find(({ key }) => key === chosen)?.key ?? "answer";
  useShortcuts("Case", [
    {
      keys: "d",
      label: "Next way to show the differences",
      run: () => choose(views[(views.findIndex(({ key }) => key === view) + 1) % views.length]?.key ?? "answer"),
    },
  ]);
  return (
    <>
      <section>
        <h3 className="m-0 mb-1 text-xs font-normal text-faint">Question</h3>
        <Text>{question}</Text>
      </section>
      <section>
        <Tabs<View> label="Answer" tabs={views} chosen={view} onChoose={choose} className="pt-3">
          {error !== null && (
            <p className="m-0 mb-2 rounded-sm bg-bad-ground px-2.5 py-1.5 text-bad">
              {error.type ?? "Error"}: {error.message ?? "no message"}
            </p>
          )}
          {view === "expected" && <WordDiff before={expected ?? ""} after={answer ?? ""} />}
          {view === "earlier" && <WordDiff before={earlier ?? ""} after={answer ?? ""} />}
          {view === "answer" && (answer !== null || error === null) && <Text>{answer}</Text>}
        </Tabs>
      </section>
      {expected !== null && view === "answer" && (
        <section>
          <h3 className="m-0 mb-1 text-xs font-normal text-faint">Expected</h3>
          <Text>{expected}</Text>
        </section>
      )}
    </>
  );
}

function Text({ children }: { children: string | null }) {
  if (children === null || children === "") return <p className="m-0 text-soft">none</p>;
  return <MediaText text={children} show={(text) => <Markdown text={text} />} />;
}
