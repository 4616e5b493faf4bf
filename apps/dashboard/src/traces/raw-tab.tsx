import { useMemo } from "react";
import { LongText } from "../blocks/long-text.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { formatBytes } from "../ui/format.ts";
import type { TraceDetail } from "./trace-queries.ts";

/** The span as the API returns it. */
export function RawTab({ span }: { span: TraceDetail }) {
  const text = useMemo(() => JSON.stringify(span, null, 2), [span]);
  return (
    <div className="flex flex-col gap-2">
      <div className="flex items-center justify-between gap-3">
        <span className="text-xs text-faint">JSON, {formatBytes(text.length)}</span>
        <CopyButton text={text} name="the JSON" label="Copy JSON" />
      </div>
      <LongText text={text} most={20_000} isCode />
    </div>
  );
}
