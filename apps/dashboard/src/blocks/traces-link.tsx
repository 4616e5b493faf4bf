import { Link, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useApi } from "../shell/session.tsx";

/** The filters of a link from a figure to the traces that it counts, as in the URL of the list. */
export interface CountedTraces {
  from?: string;
  to?: string | undefined;
  source?: "production";
  agent?: string;
  session?: string;
  prompt?: string;
  promptVersion?: string;
  model?: string;
  usedModel?: string;
  noModel?: true;
  error?: true;
  rating?: "failing" | "tool" | "rated";
  /** Minimum in milliseconds. */
  slow?: number;
}

export interface TracesLinkProps {
  traces: CountedTraces | undefined;
  /** The figure is part of a sentence, in which colour alone does not mark a link. */
  isInText?: boolean;
  children: ReactNode;
}

/** A figure that links to the traces behind it. Without `traces`, when no filter lists them, it is plain. */
export function TracesLink({ traces, isInText = false, children }: TracesLinkProps) {
  const { projectId } = useApi();
  if (traces === undefined) return children;
  return (
    <Link
      to="/p/$projectId/traces"
      params={{ projectId }}
      search={traces}
      className={isInText ? "text-accent underline" : "text-ink hover:text-accent"}
    >
      {children}
    </Link>
  );
}

/** The same traces, only those that took at least this long; none for an unknown latency. */
export function slowerThan(traces: CountedTraces | undefined, latencyMs: number | null | undefined) {
  return traces === undefined || latencyMs == null ? undefined : { ...traces, slow: Math.floor(latencyMs) };
}

/** The same traces, only if there are any. */
export function someOf(traces: CountedTraces | undefined, count: number | null | undefined) {
  return count ? traces : undefined;
}

/** For a chart: opens the traces of one of its points, which lasts until the next one; the last one has no end. */
export function useOpenTraces() {
  const { projectId } = useApi();
  const navigate = useNavigate();
  return (points: readonly { ts: string }[], traces: CountedTraces) =>
    (index: number): void => {
      const search = { ...traces, from: points[index]?.ts, to: points[index + 1]?.ts };
      void navigate({ to: "/p/$projectId/traces", params: { projectId }, search });
    };
}
