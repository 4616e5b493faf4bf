import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useApi } from "../shell/session.tsx";
import { formatCount } from "../ui/format.ts";
import { Badge, Section, Time } from "../ui/page.tsx";
import { Loaded } from "../ui/states.tsx";
import { openSignalsQuery } from "./queries.ts";

/** Signals that need attention, newest first. */
export function OpenSignals() {
  const api = useApi();
  const signals = useQuery(openSignalsQuery(api));
  const inbox = { to: "/p/$projectId/inbox", params: { projectId: api.projectId } } as const;
  return (
    <Section
      title="Open signals"
      actions={
        <Link {...inbox} className="text-accent">
          Inbox
        </Link>
      }
    >
      <Loaded query={signals}>
        {(body) =>
          body.signals.length === 0 ? (
            <p className="m-0 text-soft">Nothing open.</p>
          ) : (
            <ul className="m-0 list-none p-0">
              {body.signals.map((signal) => (
                <li key={signal._id} className="border-b border-line">
                  <Link
                    {...inbox}
                    search={{ open: signal._id }}
                    className="flex min-h-9 items-center gap-3 py-1.5 text-ink no-underline hover:bg-hover max-md:min-h-11"
                  >
                    <Badge look={signal.severity === "critical" || signal.severity === "high" ? "bad" : "plain"}>
                      {signal.severity}
                    </Badge>
                    <span className="min-w-0 flex-1 truncate">{signal.summary}</span>
                    <span className="text-soft tabular-nums">{formatCount(signal.occurrenceCount)}x</span>
                    <span className="w-20 text-right text-faint">
                      <Time iso={signal.lastSeenAt} isAge />
                    </span>
                  </Link>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}
