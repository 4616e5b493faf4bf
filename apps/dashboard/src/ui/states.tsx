import { type ReactNode, useEffect, useRef, useState } from "react";
import { ApiProblem } from "../api/problem.ts";
import { Button } from "./button.tsx";
import { classNames } from "./class-names.ts";

/**
 * Grey bars in place of the content, which take about its height, so that what is below does not move. They appear after 150 ms, so
 * that a fast response does not flash. After four seconds a line explains that the server has not answered yet.
 */
export function Skeleton({ rows = 6, className }: { rows?: number; className?: string }) {
  const isShown = useLaterThan(150);
  const isSlow = useLaterThan(4_000);
  return (
    <div aria-busy="true" className={classNames("flex shrink-0 flex-col gap-2", className)}>
      <span className="sr-only" role="status">
        Loading
      </span>
      {Array.from({ length: rows }, (_, index) => (
        <div key={index} className={classNames("h-8 shrink-0 rounded-sm", isShown && "animate-pulse bg-panel")} />
      ))}
      {isSlow && <p className="m-0 text-soft">Still waiting for the server. It takes longer than usual.</p>}
    </div>
  );
}

/** Whether a component has been mounted for this long. */
function useLaterThan(ms: number): boolean {
  const [isLater, setLater] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLater(true), ms);
    return () => clearTimeout(timer);
  }, [ms]);
  return isLater;
}

/** The seconds until the API accepts a retry, counting down to 0. */
function useSecondsLeft(problem: unknown): number {
  const wait = problem instanceof ApiProblem ? (problem.retryAfterSeconds ?? 0) : 0;
  const [until, setUntil] = useState(0);
  const [now, setNow] = useState(0);
  useEffect(() => {
    setUntil(Date.now() + wait * 1_000);
    setNow(Date.now());
  }, [problem, wait]);
  const left = Math.max(0, Math.ceil((until - now) / 1_000));
  useEffect(() => {
    if (left === 0) return;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [left === 0]);
  return left;
}

/** Shown in place of missing content, with the action to take. */
export function EmptyState({
  title,
  children,
  actions,
  isWholePage,
}: {
  title: string;
  children?: ReactNode;
  actions?: ReactNode;
  /** For a page without another heading. */
  isWholePage?: boolean;
}) {
  const Heading = isWholePage ? "h1" : "h2";
  return (
    <div className="mx-auto flex w-full max-w-xl flex-col items-start gap-3 px-4 py-12">
      <Heading className="m-0 text-base">{title}</Heading>
      {children !== undefined && <div className="text-soft">{children}</div>}
      {actions !== undefined && <div className="flex flex-wrap gap-2">{actions}</div>}
    </div>
  );
}

/** The message for any thrown value. */
export function problemSentence(problem: unknown): string {
  if (problem instanceof ApiProblem) return problem.message;
  return problem instanceof Error ? `The page failed: ${problem.message}` : "The page failed.";
}

/** An error in one line, beside the control that caused it, with the wait that the API asks for. */
export function ProblemLine({ problem, className }: { problem: unknown; className?: string }) {
  const left = useSecondsLeft(problem);
  return (
    <ProblemSentence problem={problem} className={className}>
      {left > 0 && <span aria-hidden="true">{` You can try again in ${left} s.`}</span>}
    </ProblemSentence>
  );
}

function ProblemSentence({
  problem,
  className,
  children,
}: {
  problem: unknown;
  className?: string | undefined;
  children?: ReactNode;
}) {
  const requestId = problem instanceof ApiProblem ? problem.requestId : null;
  const sentence = problemSentence(problem);
  return (
    <p role="alert" className={classNames("m-0 rounded-sm bg-bad-ground px-2.5 py-1.5 text-sm text-bad", className)}>
      {/[.!?]$/.test(sentence) ? sentence : `${sentence}.`}
      {children}
      {requestId !== null && <span className="ml-2 font-mono text-xs text-soft">request {requestId}</span>}
    </p>
  );
}

/**
 * An error page: the API's message, the request's id for the operator, and Try again, which counts down if the API
 * asked to wait.
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
      <ProblemSentence problem={problem} />
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
  const left = useSecondsLeft(problem);
  const wasWaiting = useRef(false);
  useEffect(() => {
    if (left > 0) wasWaiting.current = true;
    else if (wasWaiting.current) {
      wasWaiting.current = false;
      onRetry();
    }
  }, [left, onRetry]);
  return <Button onClick={onRetry}>{left > 0 ? `Trying again in ${left} s` : "Try again"}</Button>;
}

/** Not reachable, or signed out: the page shows this once for all of its parts. */
function isToldAbove(problem: unknown): boolean {
  return problem instanceof ApiProblem && (problem.status === 0 || problem.status === 401);
}

interface Loadable<Data> {
  data: Data | undefined;
  error: unknown;
  isPending: boolean;
  refetch(): unknown;
}

/** In place of a line whose query has no data: nothing while it loads, then the problem with Try again. */
export function NotRead({ query: { error, refetch } }: { query: Loadable<unknown> }) {
  if (error == null) return null;
  return (
    <div className="flex flex-wrap items-center gap-2">
      <ProblemLine problem={error} />
      <RetryButton problem={error} onRetry={() => void refetch()} />
    </div>
  );
}

/**
 * The three states of a query: loading, failed, loaded. Loaded content stays visible during a refresh, and a failed
 * refresh is reported above it.
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
        {query.error != null && !isToldAbove(query.error) && <ProblemLine problem={query.error} className="mb-2" />}
        {children(query.data)}
      </>
    );
  }
  if (query.error != null) return <ProblemState problem={query.error} onRetry={() => void query.refetch()} />;
  return skeleton ?? <Skeleton className="p-4" />;
}
