import { type ReactNode, useMemo, useState } from "react";
import { formatBytes, formatDuration } from "../ui/format.ts";
import { ChevronDownIcon, ChevronRightIcon, CloseIcon } from "../ui/icons.tsx";
import { JsonView } from "../ui/json-view.tsx";
import { LongText } from "./long-text.tsx";
import { MediaOf } from "./media.tsx";
import { MediaText } from "./media-text.tsx";
import {
  type FoundDocument,
  type Part,
  parsedText,
  type Speaker,
  type ToolCallPart,
  type ToolResultPart,
} from "./message.ts";

const systemMost = 320;
const previewMost = 160;

/** One part of a message. */
export function MessagePart({ part, speaker }: { part: Part; speaker: Speaker }) {
  switch (part.kind) {
    case "text":
      return <Text text={part.text} speaker={speaker} />;
    case "reasoning":
      return (
        <div className="border-l-2 border-line pl-3 text-soft">
          <div className="text-xs text-faint">reasoning</div>
          <LongText text={part.text} most={systemMost} />
        </div>
      );
    case "image":
      return <Image url={part.url} description={part.description} />;
    case "call":
      return <Call call={part} />;
    case "result":
      return <Result result={part} />;
    case "documents":
      return <Documents documents={part.documents} />;
    case "json":
      return <Json value={part.value} />;
  }
}

function Json({ value }: { value: unknown }) {
  return (
    <div className="min-w-0">
      <JsonView value={value} />
      <MediaOf value={value} />
    </div>
  );
}

function Text({ text, speaker }: { text: string; speaker: Speaker }) {
  const value = speaker === "user" ? text : parsedText(text);
  if (typeof value !== "string") return <Json value={value} />;
  const most = speaker === "system" && { most: systemMost };
  return (
    <MediaText text={text} show={(piece) => <LongText text={piece} isMarkdown={speaker === "assistant"} {...most} />} />
  );
}

function Image({ url, description }: { url: string | null; description: string }) {
  if (url === null) {
    return (
      <span className="self-start rounded-sm border border-line px-1.5 text-xs break-all text-faint">
        {description}
      </span>
    );
  }
  return <img src={url} alt={description} className="max-h-80 max-w-full self-start rounded-sm border border-line" />;
}

/** The call in one line; expanded, its arguments and the tool's answer. */
function Call({ call: { name, input, result } }: { call: ToolCallPart }) {
  const [isOpen, setOpen] = useState(false);
  const preview = useMemo(() => previewOf(input), [input]);
  const Chevron = isOpen ? ChevronDownIcon : ChevronRightIcon;
  return (
    <div className="min-w-0 rounded-sm border border-line">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="flex min-h-8 w-full min-w-0 items-center gap-2 px-2 text-left hover:bg-hover max-md:min-h-11"
      >
        <Chevron className="size-3 text-faint" />
        <span className="max-w-[60%] shrink-0 truncate font-mono text-xs font-medium">{name}</span>
        <span className="min-w-0 flex-1 truncate font-mono text-xs text-soft">{preview}</span>
        {result !== undefined && <Outcome result={result} />}
      </button>
      {isOpen && (
        <div className="flex flex-col gap-3 border-t border-line p-2.5">
          <Named name="arguments">
            <Value value={input} />
          </Named>
          <Named name={result?.error == null ? "result" : "error"}>
            {result === undefined ? (
              <span className="text-faint">No result was recorded.</span>
            ) : (
              <Value value={result.error ?? result.output} />
            )}
          </Named>
        </div>
      )}
    </div>
  );
}

function Outcome({ result: { error, output, latencyMs } }: { result: ToolResultPart }) {
  const size = useMemo(() => (output == null ? null : textOf(output).length), [output]);
  const after = latencyMs === null ? null : formatDuration(latencyMs);
  if (error !== null) {
    return (
      <span className="flex max-w-[50%] min-w-0 items-center gap-1 text-xs text-bad">
        <CloseIcon className="size-3" />
        <span className="truncate">{error}</span>
        {after !== null && <span className="whitespace-nowrap text-faint tabular-nums">{after}</span>}
      </span>
    );
  }
  return (
    <span className="text-xs whitespace-nowrap text-faint tabular-nums">
      {[size === null ? null : `→ ${formatBytes(size)}`, after].filter((one) => one !== null).join(" · ")}
    </span>
  );
}

function Result({ result }: { result: ToolResultPart }) {
  return (
    <Named name={result.name ?? "result"}>
      {result.error === null ? (
        <Value value={result.output} />
      ) : (
        <span className="text-bad">
          <LongText text={result.error} />
        </span>
      )}
    </Named>
  );
}

/** The results of a search with their scores. */
function Documents({ documents }: { documents: readonly FoundDocument[] }) {
  const [shown, setShown] = useState(10);
  return (
    <ol className="m-0 list-none p-0">
      {documents.slice(0, shown).map(({ id, score, content }, index) => (
        <li key={index} className="border-b border-line py-1.5 first:pt-0 last:border-b-0">
          <div className="flex gap-2 text-xs text-faint">
            <span className="tabular-nums">{index + 1}</span>
            <span className="min-w-0 flex-1 truncate font-mono">{id}</span>
            {score !== null && <span className="tabular-nums">score {Number(score.toPrecision(3))}</span>}
          </div>
          <Value value={content} most={systemMost} />
        </li>
      ))}
      {documents.length > shown && (
        <li>
          <button type="button" className="min-h-8 text-accent max-md:min-h-11" onClick={() => setShown(shown + 50)}>
            {documents.length - shown} more
          </button>
        </li>
      )}
    </ol>
  );
}

function Named({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <div className="text-xs text-faint">{name}</div>
      {children}
    </div>
  );
}

function Value({ value, most }: { value: unknown; most?: number }) {
  if (value === undefined || value === null || value === "") return <span className="text-faint">-</span>;
  if (typeof value !== "string") return <Json value={value} />;
  return (
    <>
      <LongText text={value} {...(most !== undefined && { most })} />
      <MediaOf value={value} />
    </>
  );
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

/** The arguments in a line. */
function previewOf(value: unknown): string {
  const text = textOf(value);
  return text === "{}" ? "" : text.slice(0, previewMost);
}
