import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { RubricView } from "../blocks/rubric-view.tsx";
import { judgeScorersQuery } from "../blocks/why-queries.ts";
import { useApi } from "../shell/session.tsx";
import { Button } from "../ui/button.tsx";
import { useShortcuts } from "../ui/shortcuts.tsx";
import { ProblemLine } from "../ui/states.tsx";
import type { AgreementScorer } from "./agreement-scorer.ts";
import { labelledTraceQuery } from "./label-queries.ts";
import { LabelResult } from "./label-result.tsx";
import { type Said, say, startSession, undo } from "./label-session.ts";
import { LabelledTrace } from "./labelled-trace.tsx";
import { useStoredLabels } from "./stored-labels.ts";
import type { Agreement } from "./trust.ts";

export interface LabelDeskProps {
  judgeId: string;
  scorer: AgreementScorer;
  traceIds: readonly string[];
  /** Agreement before the first label, and now. */
  before: Agreement | undefined;
  now: Agreement | undefined;
  minPairs: number;
  onMore(): void;
  onClose(): void;
}

/** Drawn traces one after the other, each labelled with a key. The judge's ratings stay hidden: they would bias the user. */
export function LabelDesk({ judgeId, scorer, traceIds, before, now, minPairs, onMore, onClose }: LabelDeskProps) {
  const [session, setSession] = useState(() => startSession(traceIds));
  const stored = useStoredLabels(session, setSession);
  usePrefetched(session.traceIds[session.at + 1]);
  const label = (said: Said): void => setSession((was) => say(was, said));
  const takeBack = (): void => setSession(undo);
  useShortcuts("Labels", [
    ...(stored.isDone
      ? []
      : [
          { keys: "p", label: "Pass: a good answer", run: () => label("pass") },
          { keys: "f", label: "Fail: a bad answer", run: () => label("fail") },
          { keys: "s", label: "Skip: cannot tell", run: () => label("skip") },
        ]),
    ...(session.at > 0 ? [{ keys: "u", label: "Undo the last label", run: takeBack }] : []),
    { keys: "Escape", label: "Stop labelling", run: onClose },
  ]);
  const traceId = session.traceIds[session.at];
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <Progress at={session.at} of={session.traceIds.length} onClose={onClose} />
      {stored.error !== null && (
        <div className="flex flex-wrap items-center gap-3 px-4 pt-2 md:px-6">
          <ProblemLine problem={stored.error} className="flex-1" />
          <Button onClick={stored.retry}>Try again</Button>
        </div>
      )}
      {traceId === undefined ? (
        <LabelResult
          session={session}
          isStored={stored.isStored}
          isMeasured={stored.isMeasured}
          scorer={scorer}
          before={before}
          now={now}
          minPairs={minPairs}
          onUndo={takeBack}
          onMore={onMore}
          onClose={onClose}
        />
      ) : (
        <>
          <div className="grid min-h-0 flex-1 gap-x-10 gap-y-6 overflow-auto px-4 py-4 md:px-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
            <LabelledTrace key={traceId} traceId={traceId} />
            <Criteria judgeId={judgeId} name={scorer.name} />
          </div>
          <Choices onSay={label} onUndo={session.at > 0 ? takeBack : undefined} />
        </>
      )}
    </div>
  );
}

/** Prefetches the next trace. */
function usePrefetched(traceId: string | undefined): void {
  const api = useApi();
  const queries = useQueryClient();
  useEffect(() => {
    if (traceId !== undefined) void queries.prefetchQuery(labelledTraceQuery(api, traceId));
  }, [api, queries, traceId]);
}

function Progress({ at, of, onClose }: { at: number; of: number; onClose(): void }) {
  return (
    <div className="flex items-center gap-4 border-b border-line px-4 pb-2.5 md:px-6">
      <span className="w-20 tabular-nums">
        {Math.min(at + 1, of)} of {of}
      </span>
      <span aria-hidden className="h-1.5 min-w-0 flex-1 overflow-hidden rounded-full bg-panel">
        <span className="block h-full bg-accent" style={{ width: `${(at / of) * 100}%` }} />
      </span>
      <Button look="ghost" onClick={onClose}>
        Stop <kbd className="text-faint max-md:hidden">Esc</kbd>
      </Button>
    </div>
  );
}

function Criteria({ judgeId, name }: { judgeId: string; name: string }) {
  const api = useApi();
  const judge = useQuery(judgeScorersQuery(api)).data?.find(({ _id }) => _id === judgeId);
  return (
    <aside className="min-w-0 text-soft">
      <h2 className="m-0 mb-2 text-sm text-ink">What {name} is asked to rate</h2>
      {judge !== undefined && <RubricView rubric={judge.judge} />}
      <p className="mt-4 mb-0 text-xs text-faint">
        Its rating is hidden, so that yours is your own. A label is a vote on the trace: it counts for every judge that
        rated it, and a fail also shows in the{" "}
        <Link to="/p/$projectId/inbox" params={{ projectId: api.projectId }} className="text-accent underline">
          inbox
        </Link>
        .
      </p>
    </aside>
  );
}

const choices = [
  { said: "pass", keys: "p", label: "Pass" },
  { said: "fail", keys: "f", label: "Fail" },
  { said: "skip", keys: "s", label: "Skip" },
] as const;

function Choices({ onSay, onUndo }: { onSay(said: Said): void; onUndo: (() => void) | undefined }) {
  return (
    <div className="flex flex-wrap items-center gap-2 border-t border-line px-4 py-3 md:px-6">
      <span className="mr-2 font-medium max-md:w-full">Is this a good answer?</span>
      {choices.map(({ said, keys, label }) => (
        <Button
          key={said}
          look={said === "skip" ? "ghost" : "plain"}
          onClick={() => onSay(said)}
          className="max-md:flex-1"
        >
          {label} <kbd className="text-faint max-md:hidden">{keys}</kbd>
        </Button>
      ))}
      <Button look="ghost" onClick={onUndo} disabled={onUndo === undefined} className="md:ml-auto">
        Undo <kbd className="text-faint max-md:hidden">u</kbd>
      </Button>
    </div>
  );
}
