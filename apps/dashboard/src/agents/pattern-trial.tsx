import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { bodyOf } from "../api/client.ts";
import { useApi } from "../shell/session.tsx";
import { Button } from "../ui/button.tsx";
import { countOf, formatCount, formatShare } from "../ui/format.ts";
import { Badge } from "../ui/page.tsx";
import { bodyOfPattern, type PatternDraft } from "./pattern-draft.ts";
import { TrialPanel } from "./trial-panel.tsx";

/** The maximum number of traces that the API tries a pattern on. */
const tracesMost = 200;
/** The maximum number that a judge reads. */
const judgedMost = 5;

const spans = { "24h": "of the last 24 hours", "7d": "of the last 7 days", "30d": "of the last 30 days" } as const;

const sourceNames = { response: "answer", userMessage: "question", trace: "trace" } as const;

/** Tries an unsaved pattern on recent traces. Nothing is stored, and no notification is sent. */
export function PatternTrial({ draft, missing }: { draft: PatternDraft; missing: string | undefined }) {
  const api = useApi();
  const [span, setSpan] = useState<keyof typeof spans>("7d");
  // Where another condition comes first it decides most traces without a judge.
  const limit = draft.conditions[0]?.detector === "semantic" ? judgedMost : tracesMost;
  const trial = useMutation({
    mutationFn: async (tried: PatternDraft) => ({
      tried,
      ...(await bodyOf(
        api.POST("/api/v1/agent-monitoring/patterns/dry-run", {
          body: { ...bodyOfPattern(tried, null), name: tried.name.trim() || "Trial", window: span, limit },
        }),
      )),
    }),
  });
  const isOutdated = trial.data !== undefined && trial.data.tried !== draft;
  return (
    <TrialPanel<keyof typeof spans>
      amount={`the newest ${limit} traces`}
      spans={spans}
      span={span}
      onSpan={setSpan}
      missing={missing}
      isBusy={trial.isPending}
      problem={trial.error}
      onTry={() => trial.mutate(draft)}
    >
      {trial.data === undefined ? null : (
        <>
          <p className="m-0">
            <b className="font-semibold">
              {formatCount(trial.data.matched)} of {countOf(trial.data.checked, "trace")} match
            </b>
            {trial.data.checked > 0 && <>, {formatShare(trial.data.matched / trial.data.checked)}</>}.
            {isOutdated && <span className="text-warn"> Changed since: try it again.</span>}
          </p>
          <TrialNotes what="Not tried" notes={trial.data.errors ?? []} />
          <TrialNotes what="Looked at in part" notes={trial.data.cut ?? []} />
          <Matches matches={trial.data.matches} />
        </>
      )}
    </TrialPanel>
  );
}

function TrialNotes({ what, notes }: { what: string; notes: readonly { message: string }[] }) {
  if (notes.length === 0) return null;
  const sentences = [...new Set(notes.map(({ message }) => message))];
  return (
    <p className="m-0 text-warn">
      {what}: {countOf(notes.length, "trace")}. {sentences.slice(0, 3).join(". ")}
    </p>
  );
}

interface Match {
  traceId: string;
  source: keyof typeof sourceNames;
  excerpt: string;
}

function Matches({ matches }: { matches: readonly Match[] }) {
  const { projectId } = useApi();
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? matches : matches.slice(0, 8);
  return (
    <>
      <ul className="m-0 list-none p-0">
        {shown.map(({ traceId, source, excerpt }) => (
          <li key={traceId} className="border-t border-line">
            <Link
              to="/p/$projectId/traces/$traceId"
              params={{ projectId, traceId }}
              target="_blank"
              className="flex min-h-9 items-center gap-2 text-ink no-underline hover:text-accent max-md:min-h-11"
            >
              <Badge>{sourceNames[source]}</Badge>
              <span className="min-w-0 flex-1 truncate">{excerpt}</span>
            </Link>
          </li>
        ))}
      </ul>
      {matches.length > shown.length && (
        <div>
          <Button look="ghost" onClick={() => setWhole(true)}>
            {formatCount(matches.length - shown.length)} more
          </Button>
        </div>
      )}
    </>
  );
}
