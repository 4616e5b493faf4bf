import { Link } from "@tanstack/react-router";
import { SessionLink, TraceLink } from "../blocks/evidence-links.tsx";
import { useApi } from "../shell/session.tsx";
import { Time } from "../ui/page.tsx";
import type { Question } from "./queries.ts";

/** The origin of a case, as a link. `-` if it was written by hand or imported. */
export function Provenance({ source, isShort }: { source: Question["source"]; isShort?: boolean }) {
  const { projectId } = useApi();
  const look = "text-accent";
  const added = !isShort && source?.addedAt && (
    <span className="ml-2 text-faint">
      added <Time iso={source.addedAt} isAge />
    </span>
  );
  if (source?.traceId) {
    return (
      <>
        <TraceLink traceId={source.traceId}>{isShort ? "trace" : `trace ${source.traceId}`}</TraceLink>
        {added}
      </>
    );
  }
  if (source?.sessionId) {
    return (
      <>
        <SessionLink sessionId={source.sessionId}>{isShort ? "session" : `session ${source.sessionId}`}</SessionLink>
        {added}
      </>
    );
  }
  if (source?.signalId) {
    return (
      <>
        <Link to="/p/$projectId/inbox" params={{ projectId }} search={{ open: source.signalId }} className={look}>
          signal
        </Link>
        {added}
      </>
    );
  }
  return <span className="text-faint">{isShort ? "-" : "written or imported"}</span>;
}
