import type { UseQueryResult } from "@tanstack/react-query";
import { ApiProblem } from "../api/problem.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { formatBytes } from "../ui/format.ts";
import { ProblemLine, Skeleton } from "../ui/states.tsx";
import { LongText } from "./long-text.tsx";
import type { VerdictRecord } from "./why-queries.ts";

/** The judge's prompt and reply, each folded; or the reason why they cannot be shown. */
export function WhyRecord({ query }: { query: UseQueryResult<VerdictRecord> }) {
  const { data, error, isPending, isFetching } = query;
  if (isPending) return <Skeleton rows={2} />;
  if (data === undefined && isGone(error)) {
    return <p className="m-0 text-soft">No longer kept. The rating and its justification stay.</p>;
  }
  if (data === undefined) {
    return (
      <div className="flex flex-col items-start gap-2">
        <ProblemLine problem={error} />
        <Button isBusy={isFetching} onClick={() => void query.refetch()}>
          Try again
        </Button>
      </div>
    );
  }
  return (
    <div className="flex flex-col gap-0.5">
      {data.questions > 1 && (
        <p className="m-0 text-soft">
          The first reply had no usable rating, so the judge was asked again. This is the second question.
        </p>
      )}
      <Folded title="Instructions" text={data.instructions} />
      <Folded title="Prompt" text={data.prompt} />
      {data.reply === null ? (
        <p className="m-0 text-soft">No reply came.</p>
      ) : (
        <Folded title="Reply" text={data.reply} />
      )}
      {data.truncated && <p className="m-0 text-xs text-faint">A text was longer than what is kept of it.</p>}
    </div>
  );
}

/** Whether a record was deleted since its verdict was given. */
function isGone(problem: unknown): boolean {
  return problem instanceof ApiProblem && problem.status === 404;
}

function Folded({ title, text }: { title: string; text: string }) {
  return (
    <details className="min-w-0">
      <summary className="cursor-pointer py-0.5 max-md:py-3">
        {title} <span className="text-xs text-faint tabular-nums">{formatBytes(text.length)}</span>
      </summary>
      <div className="relative mt-1 mb-2 rounded-sm border border-line bg-panel p-2 pr-9">
        <div className="absolute top-1 right-1">
          <CopyButton text={text} name={title.toLowerCase()} />
        </div>
        <LongText text={text} isCode />
      </div>
    </details>
  );
}
