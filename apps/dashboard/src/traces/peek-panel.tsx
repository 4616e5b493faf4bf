import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo } from "react";
import { Conversation } from "../blocks/conversation.tsx";
import { SessionLink } from "../blocks/evidence-links.tsx";
import { spanMessages } from "../blocks/span-messages.ts";
import { refusalOf, useAdministers } from "../shell/role.ts";
import { useApi } from "../shell/session.tsx";
import { ButtonLink, IconButton } from "../ui/button.tsx";
import { formatCost, formatCount, formatDuration } from "../ui/format.ts";
import { MoreIcon } from "../ui/icons.tsx";
import { Menu } from "../ui/menu.tsx";
import { Time } from "../ui/page.tsx";
import { SidePanel } from "../ui/side-panel.tsx";
import { Loaded } from "../ui/states.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { Rating, tokensOf } from "./list-columns.tsx";
import { type TraceDetail, traceQuery } from "./trace-queries.ts";
import type { ListAct } from "./use-traces-page.ts";
import { VerdictsTab } from "./verdicts-tab.tsx";

interface PeekPanelProps {
  traceId: string;
  /** Shows the explanation of its rating in place of the conversation. */
  isWhy: boolean;
  onWhy(isWhy: boolean): void;
  onClose(): void;
  onAct(kind: ListAct["kind"]): void;
}

/** The conversation and the rating of a trace, beside the list. Further details are on its page. */
export function PeekPanel({ traceId, isWhy, onWhy, onClose, onAct }: PeekPanelProps) {
  const { projectId } = useApi();
  const trace = useQuery(traceQuery(useApi(), traceId));
  const refusal = refusalOf(useAdministers());
  return (
    <SidePanel
      title={trace.data?.name ?? "Trace"}
      onClose={onClose}
      actions={
        <>
          <ButtonLink to="/p/$projectId/traces/$traceId" params={{ projectId, traceId }}>
            Open
          </ButtonLink>
          <Menu
            align="end"
            trigger={
              <IconButton label="More">
                <MoreIcon />
              </IconButton>
            }
            items={[
              { label: "Add to a dataset", onChoose: () => onAct("add") },
              { label: "Evaluate", onChoose: () => onAct("evaluate") },
              null,
              { label: "Delete", look: "danger", onChoose: () => onAct("delete"), disabledBecause: refusal },
            ]}
          />
        </>
      }
    >
      <Loaded query={trace}>
        {(data) => (
          <div className="flex flex-col gap-4">
            <Facts trace={data} />
            <Tabs
              label="What is shown"
              tabs={[
                { key: "said", label: "Conversation" },
                { key: "why", label: "Why this score" },
              ]}
              chosen={isWhy ? "why" : "said"}
              onChoose={(key) => onWhy(key === "why")}
              className="min-w-0"
            >
              {isWhy ? (
                <VerdictsTab trace={data} scorer={data.judgeScores?.scorerName} onEvaluate={() => onAct("evaluate")} />
              ) : (
                <Said trace={data} />
              )}
            </Tabs>
          </div>
        )}
      </Loaded>
    </SidePanel>
  );
}

function Said({ trace }: { trace: TraceDetail }) {
  const messages = useMemo(() => spanMessages(trace), [trace]);
  return (
    <div className="flex flex-col gap-3">
      {messages.length > 0 && <Conversation messages={messages} />}
      {trace.error !== undefined && (
        <p className="m-0 rounded-sm bg-bad-ground p-2.5 break-words whitespace-pre-wrap text-bad">
          <span className="sr-only">Failed: </span>
          {trace.error}
        </p>
      )}
      {messages.length === 0 && trace.error === undefined && (
        <p className="m-0 text-faint">Neither input nor output was recorded.</p>
      )}
    </div>
  );
}

function Facts({ trace }: { trace: TraceDetail }) {
  const { sessionId } = trace;
  return (
    <dl className="m-0 grid grid-cols-[repeat(auto-fill,minmax(6.5rem,1fr))] gap-x-4 gap-y-2">
      <Fact label="Time">
        <Time iso={trace.createdAt} />
      </Fact>
      <Fact label="Rating">
        <Rating judgeScores={trace.judgeScores} />
      </Fact>
      <Fact label="Latency">{formatDuration(trace.latencyMs)}</Fact>
      <Fact label="Tokens">{formatCount(tokensOf(trace))}</Fact>
      <Fact label="Cost">{formatCost(trace.estimatedCostUSD)}</Fact>
      {trace.model !== undefined && <Fact label="Model">{trace.model}</Fact>}
      {trace.framework !== undefined && <Fact label="Framework">{trace.framework}</Fact>}
      {trace.trafficSource !== undefined && <Fact label="Source">eval run</Fact>}
      {sessionId !== undefined && (
        <Fact label="Session">
          <SessionLink sessionId={sessionId} />
        </Fact>
      )}
    </dl>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-xs text-faint">{label}</dt>
      <dd className="m-0 truncate tabular-nums">{children}</dd>
    </div>
  );
}
