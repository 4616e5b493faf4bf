import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useApi } from "../shell/session.tsx";
import { Button, ButtonLink } from "../ui/button.tsx";
import { formatCost, formatCount, formatDuration } from "../ui/format.ts";
import { JsonView } from "../ui/json-view.tsx";
import { Markdown } from "../ui/markdown.tsx";
import { Badge, Time } from "../ui/page.tsx";
import { Score } from "../ui/score.tsx";
import { SidePanel } from "../ui/side-panel.tsx";
import { Loaded } from "../ui/states.tsx";
import { tokensOf } from "./list-columns.tsx";
import { peekQuery } from "./list-queries.ts";

interface PeekPanelProps {
  traceId: string;
  onClose(): void;
  onAdd(): void;
  onEvaluate(): void;
}

/** What a trace said and how it was rated, beside the list. The rest is on its page. */
export function PeekPanel({ traceId, onClose, onAdd, onEvaluate }: PeekPanelProps) {
  const api = useApi();
  const trace = useQuery(peekQuery(api, traceId));
  const params = { projectId: api.projectId };
  return (
    <SidePanel
      title={trace.data?.name ?? "Trace"}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onAdd}>Add to dataset</Button>
          <Button onClick={onEvaluate}>Evaluate</Button>
          <ButtonLink look="primary" to="/p/$projectId/traces/$traceId" params={{ ...params, traceId }}>
            Open
          </ButtonLink>
        </>
      }
    >
      <Loaded query={trace}>
        {(data) => (
          <div className="flex flex-col gap-5">
            <dl className="m-0 grid grid-cols-[repeat(auto-fill,minmax(7rem,1fr))] gap-x-4 gap-y-2">
              <Fact label="Time">
                <Time iso={data.createdAt} />
              </Fact>
              <Fact label="Latency">{formatDuration(data.latencyMs)}</Fact>
              <Fact label="Tokens">{formatCount(tokensOf(data))}</Fact>
              <Fact label="Cost">{formatCost(data.estimatedCostUSD)}</Fact>
              {data.model !== undefined && <Fact label="Model">{data.model}</Fact>}
              {data.framework !== undefined && <Fact label="Framework">{data.framework}</Fact>}
              {data.trafficSource !== undefined && <Fact label="Source">eval run</Fact>}
              {data.sessionId !== undefined && (
                <Fact label="Session">
                  <Link to="/p/$projectId/sessions/$sessionId" params={{ ...params, sessionId: data.sessionId }}>
                    {data.sessionId}
                  </Link>
                </Fact>
              )}
            </dl>
            {data.judgeScores !== null && (
              <Part title="Ratings">
                <ul className="m-0 flex list-none flex-col gap-1 p-0">
                  {data.judgeScores.verdicts.map(({ scorerName, rating, threshold, isGroup }) => (
                    <li key={`${scorerName} ${isGroup}`} className="flex items-center gap-2">
                      <Score rating={rating} threshold={threshold} scorer={scorerName} />
                      <span className="truncate">{scorerName}</span>
                      {isGroup && <Badge>group</Badge>}
                    </li>
                  ))}
                </ul>
              </Part>
            )}
            {data.error !== undefined && (
              <Part title="Error">
                <p className="m-0 rounded-sm bg-bad-ground p-2 break-words whitespace-pre-wrap text-bad">
                  {data.error}
                </p>
              </Part>
            )}
            <Part title="Input">
              <Value value={data.input} />
            </Part>
            <Part title="Output">
              <Value value={data.output} />
            </Part>
            {data.toolCalls !== undefined && data.toolCalls.length > 0 && (
              <Part title={`Tool calls (${formatCount(data.toolCalls.length)})`}>
                <JsonView value={data.toolCalls} name="the tool calls" />
              </Part>
            )}
          </div>
        )}
      </Loaded>
    </SidePanel>
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

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <h3 className="m-0 mb-1 text-xs font-normal text-faint">{title}</h3>
      {children}
    </section>
  );
}

function Value({ value }: { value: unknown }) {
  if (value === undefined || value === null) return <p className="m-0 text-faint">Nothing was recorded.</p>;
  if (typeof value === "string") return <Markdown text={value} />;
  return <JsonView value={value} />;
}
