import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useApi } from "../shell/session.tsx";
import type { Verdict } from "./verdicts.ts";

/** A link to the subject of a verdict: the page of the CI run, else the run. */
export function VerdictLink({
  verdict,
  className,
  children,
}: {
  verdict: Pick<Verdict, "isCiRun" | "runId">;
  className?: string;
  children: ReactNode;
}) {
  const { projectId } = useApi();
  const { isCiRun, runId } = verdict;
  if (isCiRun) {
    return (
      <Link to="/p/$projectId/gates/ci/$ciRunId" params={{ projectId, ciRunId: runId }} className={className}>
        {children}
      </Link>
    );
  }
  return (
    <Link to="/p/$projectId/runs/$runId" params={{ projectId, runId }} className={className}>
      {children}
    </Link>
  );
}
