import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useApi } from "../shell/session.tsx";
import { classNames } from "../ui/class-names.ts";

interface LinkText {
  /** Default is the id. */
  children?: ReactNode;
  className?: string;
}

/** A link to the page of a trace. */
export function TraceLink({ traceId, children = traceId, className }: LinkText & { traceId: string }) {
  const { projectId } = useApi();
  return (
    <Link
      to="/p/$projectId/traces/$traceId"
      params={{ projectId, traceId }}
      className={classNames("text-accent", className)}
    >
      {children}
    </Link>
  );
}

/** A link to the page of a session. */
export function SessionLink({ sessionId, children = sessionId, className }: LinkText & { sessionId: string }) {
  const { projectId } = useApi();
  return (
    <Link
      to="/p/$projectId/sessions/$sessionId"
      params={{ projectId, sessionId }}
      title={sessionId}
      className={classNames("text-accent", className)}
    >
      {children}
    </Link>
  );
}
