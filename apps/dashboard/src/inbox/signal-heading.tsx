import { Link } from "@tanstack/react-router";
import { useApi } from "../shell/session.tsx";
import { countOf } from "../ui/format.ts";
import { Badge, Time } from "../ui/page.tsx";
import type { Signal } from "./queries.ts";
import { everyDay, type SignalStatus } from "./rules.ts";
import { SeverityBadge } from "./severity-badge.tsx";

const words: Record<SignalStatus, string> = {
  open: "open",
  reopened: "came back",
  in_review: "in review",
  resolved: "resolved",
  archived: "archived",
  dismissed: "dismissed",
};

/** A signal's message, agent, count and time. */
export function SignalHeading({ signal }: { signal: Signal }) {
  const { projectId } = useApi();
  return (
    <header className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <SeverityBadge severity={signal.severity} />
        <Badge look={signal.status === "reopened" ? "warn" : "plain"}>{words[signal.status]}</Badge>
        {signal.agentId && (
          <Link
            to="/p/$projectId/agents/$agentId"
            params={{ projectId, agentId: signal.agentId._id }}
            className="font-medium text-accent"
          >
            {signal.agentId.name}
          </Link>
        )}
      </div>
      <h2 className="m-0 text-base break-words">{signal.summary}</h2>
      <div className="flex flex-wrap gap-x-3 text-soft">
        <span>
          seen{" "}
          <Link
            from="/p/$projectId/inbox"
            to="."
            search={(before) => ({ ...before, open: signal._id, day: everyDay })}
            resetScroll={false}
            className="text-accent underline"
          >
            {countOf(signal.occurrenceCount, "time", "times")}
          </Link>
        </span>
        <span>
          first <Time iso={signal.firstSeenAt} isAge />
        </span>
        <span>
          last <Time iso={signal.lastSeenAt} isAge />
        </span>
      </div>
    </header>
  );
}
