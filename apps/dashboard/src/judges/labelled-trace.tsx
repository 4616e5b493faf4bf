import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useApi } from "../shell/session.tsx";
import { countOf } from "../ui/format.ts";
import { JsonView } from "../ui/json-view.tsx";
import { Markdown } from "../ui/markdown.tsx";
import { Time } from "../ui/page.tsx";
import { Loaded } from "../ui/states.tsx";
import { labelledTraceQuery } from "./label-queries.ts";

/** The question, the answer and the tools used, without any judge's verdict. */
export function LabelledTrace({ traceId }: { traceId: string }) {
  const api = useApi();
  const trace = useQuery(labelledTraceQuery(api, traceId));
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <Loaded query={trace}>
        {({ name, input, output, error, toolCalls, createdAt }) => (
          <>
            <p className="m-0 flex flex-wrap gap-x-3 text-faint">
              <span>{name}</span>
              <Time iso={createdAt} />
              <Link
                to="/p/$projectId/traces/$traceId"
                params={{ projectId: api.projectId, traceId }}
                target="_blank"
                className="text-accent"
              >
                Open the trace
              </Link>
            </p>
            <Text title="Input">{input}</Text>
            <Text title="Output">{output}</Text>
            {error != null && <Text title="Error">{error}</Text>}
            {Array.isArray(toolCalls) && toolCalls.length > 0 && (
              <details>
                <summary className="text-sm">{countOf(toolCalls.length, "tool call")}</summary>
                <div className="mt-2 rounded-sm border border-line bg-panel p-3">
                  <JsonView value={toolCalls} name="tool calls" />
                </div>
              </details>
            )}
          </>
        )}
      </Loaded>
    </div>
  );
}

function Text({ title, children }: { title: string; children: unknown }) {
  return (
    <section>
      <h2 className="m-0 mb-1 text-xs font-medium text-faint">{title}</h2>
      <div className="max-w-prose text-base" dir="auto">
        {contentOf(children)}
      </div>
    </section>
  );
}

function contentOf(value: unknown): ReactNode {
  if (value === undefined || value === null || value === "") return <span className="text-faint">nothing</span>;
  return typeof value === "string" ? <Markdown text={value} /> : <JsonView value={value} />;
}
