import { useDeferredValue, useMemo, useState } from "react";
import { LongText } from "../blocks/long-text.tsx";
import { MediaOf } from "../blocks/media.tsx";
import { isRecord } from "../blocks/message.ts";
import { TextField } from "../ui/field.tsx";
import { formatCost, formatCount, formatDuration, formatMoment, unknown } from "../ui/format.ts";
import { JsonView } from "../ui/json-view.tsx";
import { searchJson } from "./json-search.ts";
import type { TraceDetail } from "./trace-queries.ts";

/** The data of a span besides its conversation: its facts, metadata and attributes, with a search over all of them. */
export function AttributesTab({ span }: { span: TraceDetail }) {
  const [words, setWords] = useState("");
  const wanted = useDeferredValue(words);
  const { input, output, toolCalls, metadata, performanceSummary, judgeScores, ...facts } = span;
  return (
    <div className="flex flex-col gap-4">
      <TextField
        label="Search the attributes"
        isLabelHidden
        type="search"
        placeholder="Search names and values"
        value={words}
        onChange={(event) => setWords(event.target.value)}
      />
      {wanted.trim() === "" ? (
        <>
          <Facts span={span} />
          {isCut(metadata) && (
            <p className="m-0 rounded-sm border border-warn px-2.5 py-1.5 text-soft">
              Some values were cut when this span arrived: they were over 4 MiB, or nested too deep.
            </p>
          )}
          {metadata !== undefined && (
            <div className="min-w-0">
              <JsonView value={metadata} name="metadata" />
              <MediaOf value={ownMetadata(metadata)} />
            </div>
          )}
          {performanceSummary !== undefined && <JsonView value={{ performanceSummary }} name="performance summary" />}
        </>
      ) : (
        <Hits root={{ ...facts, metadata, performanceSummary, toolCalls }} words={wanted} />
      )}
    </div>
  );
}

/** Whether the OpenTelemetry receiver cut attributes of a span. */
function isCut(metadata: unknown): boolean {
  return (metadata as { otel?: { truncated?: unknown } } | null | undefined)?.otel?.truncated === true;
}

/** Without what an exporter sent, which repeats the texts of the conversation. */
function ownMetadata(metadata: unknown): unknown {
  if (!isRecord(metadata)) return metadata;
  const { otel, ...own } = metadata;
  return own;
}

function Facts({ span }: { span: TraceDetail }) {
  const facts: [string, string | undefined][] = [
    ["Id", span._id],
    ["Span id", span.spanId],
    ["Parent span id", span.parentSpanId],
    ["Session", span.sessionId],
    ["Kind", span.spanKind],
    ["Framework", span.framework],
    ["Model", span.model],
    ["Started", formatMoment(span.startedAt ?? span.createdAt)],
    ["Took", formatDuration(span.latencyMs)],
    ["Tokens in", formatCount(span.inputTokens)],
    ["Tokens out", formatCount(span.outputTokens)],
    ["From the cache", span.cacheReadTokens === undefined ? undefined : formatCount(span.cacheReadTokens)],
    ["Into the cache", span.cacheWriteTokens === undefined ? undefined : formatCount(span.cacheWriteTokens)],
    ["Cost", formatCost(span.estimatedCostUSD)],
    ["Topic", span.topic && `${span.topic.intent}, ${span.topic.sentiment}`],
  ];
  return (
    <dl className="m-0 grid grid-cols-[8rem_minmax(0,1fr)] gap-x-3 gap-y-1">
      {facts
        .filter(([, value]) => value !== undefined && value !== unknown)
        .map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-faint">{name}</dt>
            <dd className="m-0 min-w-0 break-words tabular-nums">{value}</dd>
          </div>
        ))}
    </dl>
  );
}

function Hits({ root, words }: { root: unknown; words: string }) {
  const { hits, isCut } = useMemo(() => searchJson(root, words), [root, words]);
  if (hits.length === 0) return <p className="m-0 text-soft">No attribute contains “{words.trim()}”.</p>;
  return (
    <dl className="m-0">
      {hits.map(({ path, value }) => (
        <div key={path} className="border-b border-line py-1.5 last:border-b-0">
          <dt className="font-mono text-xs break-all text-faint">{path}</dt>
          <dd className="m-0">
            <LongText text={typeof value === "string" ? value : (JSON.stringify(value) ?? unknown)} most={400} isCode />
          </dd>
        </div>
      ))}
      {isCut && (
        <p className="m-0 pt-2 text-xs text-faint">
          Only the first {formatCount(hits.length)} are shown. Search for more of the name.
        </p>
      )}
    </dl>
  );
}
