import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { useApi } from "../shell/session.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { TimeChart } from "../ui/charts/time-chart.tsx";
import { countOf, formatCount, formatDay } from "../ui/format.ts";
import { MoreIcon } from "../ui/icons.tsx";
import { Menu } from "../ui/menu.tsx";
import { Badge, Time } from "../ui/page.tsx";
import { useShortcuts } from "../ui/shortcuts.tsx";
import { Loaded } from "../ui/states.tsx";
import { CorrectScore } from "./correct-score.tsx";
import { OccurrenceList, OccurrenceView } from "./occurrences.tsx";
import { type Occurrence, type Signal, type SignalDetail, signalQuery } from "./queries.ts";
import type { SignalStatus } from "./rules.ts";
import { SeverityBadge } from "./severity-badge.tsx";
import { SignalOrigin } from "./signal-origin.tsx";

interface ViewProps {
  /** The occurrence that is shown; without one the newest. */
  seen: string | undefined;
  onSee(occurrenceId: string): void;
  onAct(status: SignalStatus): void;
}

/** Everything about one signal: what raised it, how often, and each time it was seen with the way to its trace. */
export function SignalView({ signalId, ...rest }: ViewProps & { signalId: string }) {
  const signal = useQuery(signalQuery(useApi(), signalId));
  return <Loaded query={signal}>{(detail) => <Evidence detail={detail} {...rest} />}</Loaded>;
}

function Evidence({ detail, seen, onSee, onAct }: ViewProps & { detail: SignalDetail }) {
  const { signal, trend } = detail;
  const { projectId } = useApi();
  const navigate = useNavigate();
  const [isCorrecting, setCorrecting] = useState(false);
  const at = Math.max(
    0,
    signal.occurrences.findIndex(({ id }) => id === seen),
  );
  const occurrence: Occurrence | undefined = signal.occurrences[at];
  const step = (by: number): void => {
    const next = signal.occurrences[at + by];
    if (next !== undefined) onSee(next.id);
  };
  const { traceId } = occurrence ?? {};
  const hasScore = occurrence?.rating !== undefined;
  useShortcuts("Selected signal", [
    ...(hasScore ? [{ keys: "c", label: "Correct the score", run: () => setCorrecting(true) }] : []),
    ...(traceId === undefined
      ? []
      : [
          {
            keys: "t",
            label: "Open the trace",
            run: () => void navigate({ to: "/p/$projectId/traces/$traceId", params: { projectId, traceId } }),
          },
        ]),
    { keys: "]", label: "Earlier occurrence", run: () => step(1) },
    { keys: "[", label: "Later occurrence", run: () => step(-1) },
  ]);
  const counted = trend.reduce((sum, { count }) => sum + count, 0);
  return (
    <div className="flex flex-col gap-6">
      <Heading signal={signal} />
      <Acts status={signal.status} hasScore={hasScore} onAct={onAct} onCorrect={() => setCorrecting(true)} />
      <SignalOrigin signal={signal} />
      {occurrence && (
        <OccurrenceView
          occurrence={occurrence}
          at={at}
          count={signal.occurrences.length}
          signal={signal}
          onStep={step}
        />
      )}
      <TimeChart
        title="Last 30 days"
        total={countOf(counted, "time", "times")}
        kind="stacked"
        height={96}
        format={(count) => (Number.isInteger(count) ? formatCount(count) : "")}
        labels={trend.map(({ ts }) => formatDay(ts))}
        series={[{ key: "seen", label: "seen", color: "text-score-2", values: trend.map(({ count }) => count) }]}
      />
      {signal.occurrences.length > 1 && (
        <OccurrenceList
          occurrences={signal.occurrences}
          total={signal.occurrenceCount}
          chosen={occurrence?.id}
          onSee={onSee}
        />
      )}
      {isCorrecting && occurrence !== undefined && (
        <CorrectScore signal={signal} occurrence={occurrence} onClose={() => setCorrecting(false)} />
      )}
    </div>
  );
}

const statusWords: Record<SignalStatus, string> = {
  open: "open",
  reopened: "came back",
  in_review: "in review",
  resolved: "resolved",
  archived: "archived",
  dismissed: "dismissed",
};

function Heading({ signal }: { signal: Signal }) {
  const { projectId } = useApi();
  return (
    <header className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <SeverityBadge severity={signal.severity} />
        <Badge look={signal.status === "reopened" ? "warn" : "plain"}>{statusWords[signal.status]}</Badge>
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
        <span>seen {countOf(signal.occurrenceCount, "time", "times")}</span>
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

function Acts({
  status,
  hasScore,
  onAct,
  onCorrect,
}: {
  status: SignalStatus;
  hasScore: boolean;
  onAct(status: SignalStatus): void;
  onCorrect(): void;
}) {
  const isOpen = status === "open" || status === "reopened";
  return (
    <div className="flex flex-wrap gap-2">
      {!isOpen && <Button onClick={() => onAct("open")}>Open again</Button>}
      {status !== "resolved" && (
        <Button look={isOpen ? "primary" : "plain"} onClick={() => onAct("resolved")}>
          Resolve <Key look={isOpen ? "primary" : "plain"}>e</Key>
        </Button>
      )}
      {status !== "dismissed" && (
        <Button onClick={() => onAct("dismissed")}>
          Dismiss <Key>d</Key>
        </Button>
      )}
      {status !== "in_review" && (
        <Button onClick={() => onAct("in_review")}>
          In review <Key>i</Key>
        </Button>
      )}
      <Button
        onClick={onCorrect}
        disabled={!hasScore}
        {...(!hasScore && { hint: "No judge rated this: there is no score to correct." })}
      >
        Correct the score <Key>c</Key>
      </Button>
      <Menu
        align="end"
        trigger={
          <IconButton label="More">
            <MoreIcon />
          </IconButton>
        }
        items={[
          {
            label: "Archive until it comes back",
            onChoose: () => onAct("archived"),
            ...(status === "archived" && { disabledBecause: "It is archived." }),
          },
        ]}
      />
    </div>
  );
}

/** The key of a button, where there are keys. */
function Key({ children, look = "plain" }: { children: ReactNode; look?: "primary" | "plain" }) {
  return (
    <kbd
      aria-hidden
      className={`rounded-sm border px-1 max-md:hidden ${look === "primary" ? "border-current" : "border-line bg-panel text-soft"}`}
    >
      {children}
    </kbd>
  );
}
