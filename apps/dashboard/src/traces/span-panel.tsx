import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef } from "react";
import { ApiProblem } from "../api/problem.ts";
import { Conversation } from "../blocks/conversation.tsx";
import { spanMessages } from "../blocks/span-messages.ts";
import { useApi } from "../shell/session.tsx";
import { classNames } from "../ui/class-names.ts";
import { formatCost, formatCount, formatDuration } from "../ui/format.ts";
import { lazyPart } from "../ui/lazy-part.tsx";
import { useIsNarrow } from "../ui/media-query.ts";
import { EmptyState, Loaded, Skeleton } from "../ui/states.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { AttributesTab } from "./attributes-tab.tsx";
import { RawTab } from "./raw-tab.tsx";
import { KindIcon } from "./span-kind.tsx";
import { type TraceDetail, traceQuery } from "./trace-queries.ts";
import type { OutlineSpan } from "./trace-tree.ts";
import { VotesList } from "./votes-list.tsx";

const VerdictsTab = lazyPart(
  async () => (await import("./verdicts-tab.tsx")).VerdictsTab,
  () => <Skeleton className="p-4" />,
);

const ScoresTab = lazyPart(
  async () => (await import("./scores-tab.tsx")).ScoresTab,
  () => <Skeleton className="p-4" />,
);

export type SpanTab = "chat" | "verdicts" | "scores" | "attributes" | "raw";

/** The selected span: its conversation, its ratings, its scores, and its other data. Its texts are loaded when it is selected. */
export function SpanPanel({
  span,
  trace,
  tab,
  onTab,
  scorer,
  onEvaluate,
  className,
}: {
  span: OutlineSpan;
  trace: TraceDetail;
  tab: SpanTab;
  onTab(tab: SpanTab): void;
  /** The name of the scorer whose verdict to show. */
  scorer: string | undefined;
  onEvaluate(): void;
  className?: string | undefined;
}) {
  const api = useApi();
  const body = useQuery(traceQuery(api, span._id));
  const section = useScrolledTo(span._id);
  // Judges mostly rate the whole trace; few rate single spans.
  const rated = span.rating !== undefined && body.data !== undefined ? body.data : trace;
  const count = rated.judgeScores?.judgeCount ?? 0;
  const scoreCount = (body.data ?? trace).scores.length;
  const tabs = [
    { key: "chat", label: "Chat" },
    { key: "verdicts", label: count > 0 ? `Verdicts ${count}` : "Verdicts" },
    ...(scoreCount + trace.scores.length > 0 || tab === "scores"
      ? [{ key: "scores", label: scoreCount > 0 ? `Scores ${scoreCount}` : "Scores" } as const]
      : []),
    { key: "attributes", label: "Attributes" },
    { key: "raw", label: "Raw" },
  ] as const;
  return (
    <section ref={section} aria-label="Chosen span" className={classNames("flex min-h-0 min-w-0 flex-col", className)}>
      <SpanFacts span={span} />
      <Tabs
        label="About the span"
        tabs={tabs}
        chosen={tab}
        onChoose={onTab}
        className="min-h-0 flex-1 overflow-auto px-4 py-3 outline-offset-[-2px]"
      >
        {tab === "verdicts" ? (
          <div className="flex flex-col gap-6">
            <VerdictsTab key={`${rated._id} ${scorer}`} trace={rated} scorer={scorer} onEvaluate={onEvaluate} />
            <VotesList traceId={rated._id} />
          </div>
        ) : body.error instanceof ApiProblem && body.error.status === 404 && body.data === undefined ? (
          <EmptyState title="This span is gone">
            The trace was deleted, or it is older than the project keeps traces.
          </EmptyState>
        ) : (
          <Loaded query={body}>
            {(read) => {
              if (tab === "scores") return <ScoresTab key={read._id} span={read} trace={trace} />;
              if (tab === "attributes") return <AttributesTab key={read._id} span={read} />;
              return tab === "raw" ? <RawTab key={read._id} span={read} /> : <Chat key={read._id} span={read} />;
            }}
          </Loaded>
        )}
      </Tabs>
    </section>
  );
}

/** Scrolls a panel below the tree into view when another span is selected. */
function useScrolledTo(spanId: string) {
  const isNarrow = useIsNarrow();
  const section = useRef<HTMLElement>(null);
  const shown = useRef(spanId);
  useEffect(() => {
    if (shown.current === spanId) return;
    shown.current = spanId;
    if (isNarrow) section.current?.scrollIntoView({ block: "start" });
  }, [spanId, isNarrow]);
  return section;
}

function SpanFacts({ span }: { span: OutlineSpan }) {
  const tokens = (span.inputTokens ?? 0) + (span.outputTokens ?? 0);
  return (
    <header className="flex min-w-0 items-center gap-2 px-4 pt-2.5 pb-1">
      <KindIcon kind={span.spanKind} />
      <h2 className="m-0 min-w-0 truncate text-sm" title={span.name}>
        {span.name}
      </h2>
      <span className="ml-auto flex shrink-0 gap-3 text-xs text-soft tabular-nums">
        <span>{span.spanKind}</span>
        <span>{formatDuration(span.latencyMs)}</span>
        {tokens > 0 && <span>{formatCount(tokens)} tok</span>}
        {span.costUSD !== undefined && <span>{formatCost(span.costUSD)}</span>}
      </span>
    </header>
  );
}

function Chat({ span }: { span: TraceDetail }) {
  const messages = useMemo(() => spanMessages(span), [span]);
  return (
    <>
      {span.error !== undefined && (
        <p className="m-0 mb-2 rounded-sm bg-bad-ground px-2.5 py-1.5 break-words whitespace-pre-wrap text-bad">
          {span.error.slice(0, 4_000)}
        </p>
      )}
      {messages.length > 0 ? (
        <Conversation messages={messages} />
      ) : (
        <EmptyState title="Nothing was said here">
          The span has neither input nor output. What else was sent with it is under Attributes.
        </EmptyState>
      )}
    </>
  );
}
