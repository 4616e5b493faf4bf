import { type ReactNode, useEffect, useState } from "react";
import { ApiProblem } from "../api/problem.ts";
import { Button } from "./button.tsx";
import { classNames } from "./class-names.ts";

/** Grey bars where the content will be; they appear after 150 ms, so that a quick answer does not flash. */
export function Skeleton({ rows = 6, className }: { rows?: number; className?: string }) {
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), 150);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div aria-busy="true" className={classNames("flex flex-col gap-2", className)}>
      <span className="sr-only" role="status">
        Loading
      </span>
      {isShown &&
        Array.from({ length: rows }, (_, index) => (
          <div key={index} className="h-8 animate-pulse rounded-sm bg-panel" />
        ))}
    </div>
  );
}

/** What a place says that has nothing to show, with what to do about it. */
export function EmptyState({ title, children, actions }: { title: string; children?: ReactNode; actions?: ReactNode }) {
  return (
    <div className="mx-auto flex w-full max-w-xl flex-col items-start gap-3 px-4 py-12">
      <h2 className="m-0 text-base">{title}</h2>
      {children !== undefined && <div className="text-soft">{children}</div>}
      {actions !== undefined && <div className="flex flex-wrap gap-2">{actions}</div>}
    </div>
  );
}

/** The sentence for whatever was thrown. */
export function problemSentence(problem: unknown): string {
  if (problem instanceof ApiProblem) return problem.message;
  return problem instanceof Error ? `The page failed: ${problem.message}` : "The page failed.";
}

/** A problem in one line, beside the control that caused it. */
export function ProblemLine({ problem, className }: { problem: unknown; className?: string }) {
  const requestId = problem instanceof ApiProblem ? problem.requestId : null;
  return (
    <p role="alert" className={classNames("m-0 rounded-sm bg-bad-ground px-2.5 py-1.5 text-sm text-bad", className)}>
      {problemSentence(problem)}
      {requestId !== null && <span className="ml-2 font-mono text-xs text-soft">request {requestId}</span>}
    </p>
  );
}

/**
 * What a page says that could not be loaded: the API's own sentence, the request's id for whoever runs the server, and
 * Try again, which counts down where the API asked to wait.
 */
export function ProblemState({ problem, onRetry }: { problem: unknown; onRetry(): void }) {
  if (problem instanceof ApiProblem && problem.status === 404) {
    return (
      <EmptyState title="Not here, or not yours">
        It may have been deleted, or it belongs to another project. {problem.message}
      </EmptyState>
    );
  }
  return (
    <EmptyState title={titleOf(problem)} actions={<RetryButton problem={problem} onRetry={onRetry} />}>
      <ProblemLine problem={problem} />
    </EmptyState>
  );
}

function titleOf(problem: unknown): string {
  const status = problem instanceof ApiProblem ? problem.status : null;
  if (status === 0) return "No answer from the server";
  if (status === 401) return "Signed out";
  if (status === 403) return "Not allowed";
  if (status === 429) return "Too many requests";
  if (status === 503) return "Not available at the moment";
  return "This could not be loaded";
}

function RetryButton({ problem, onRetry }: { problem: unknown; onRetry(): void }) {
  const wait = problem instanceof ApiProblem ? problem.retryAfterSeconds : null;
  const [left, setLeft] = useState(wait ?? 0);
  useEffect(() => setLeft(wait ?? 0), [wait]);
  useEffect(() => {
    if (left <= 0) return;
    const timer = setTimeout(() => {
      setLeft(left - 1);
      if (left === 1) onRetry();
    }, 1_000);
    return () => clearTimeout(timer);
  }, [left, onRetry]);
  return <Button onClick={onRetry}>{left > 0 ? `Trying again in ${left} s` : "Try again"}</Button>;
}

interface Loadable<Data> {
  data: Data | undefined;
  error: unknown;
  isPending: boolean;
  refetch(): unknown;
}

/**
 * The three states of a query: loading, failed, there. What was loaded before stays in sight while it is fetched again, and
 * a failure of that is told above it.
 */
export function Loaded<Data>({
  query,
  skeleton,
  children,
}: {
  query: Loadable<Data>;
  skeleton?: ReactNode;
  children(data: Data): ReactNode;
}) {
  if (query.data !== undefined) {
    return (
      <>
        {query.error != null && <ProblemLine problem={query.error} className="mb-2" />}
        {children(query.data)}
      </>
    );
  }
  if (query.error != null) return <ProblemState problem={query.error} onRetry={() => void query.refetch()} />;
  return skeleton ?? <Skeleton className="p-4" />;
}
