import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { AddToDataset } from "../blocks/add-to-dataset.tsx";
import { verdictOfOccurrence } from "../blocks/verdict-sources.ts";
import { Why } from "../blocks/why.tsx";
import { useApi } from "../shell/session.tsx";
import { Button } from "../ui/button.tsx";
import { TimeChart } from "../ui/charts/time-chart.tsx";
import { countOf, formatCount, formatDay } from "../ui/format.ts";
import { ChevronLeftIcon } from "../ui/icons.tsx";
import { Section } from "../ui/page.tsx";
import { useShortcuts } from "../ui/shortcuts.tsx";
import { Loaded } from "../ui/states.tsx";
import { CorrectScore } from "./correct-score.tsx";
import { OccurrenceList, OccurrenceView } from "./occurrences.tsx";
import { type Occurrence, type SignalDetail, signalQuery } from "./queries.ts";
import { everyDay, type SignalStatus } from "./rules.ts";
import { SeenOn } from "./seen-on.tsx";
import { SignalActs } from "./signal-acts.tsx";
import { SignalHeading } from "./signal-heading.tsx";
import { SignalOrigin } from "./signal-origin.tsx";
import type { Selection } from "./use-selection.ts";

interface ViewProps {
  /** The occurrence to show; the newest by default. */
  seen: string | undefined;
  /** Opens the explanation of its score. */
  why: true | undefined;
  /** The start of the day of its trend to list, or {@link everyDay}. */
  day: string | undefined;
  show: Selection["show"];
  onAct(status: SignalStatus): void;
}

/** The details of one signal: its origin, its frequency, and each occurrence with a link to its trace. */
export function SignalView({ signalId, ...rest }: ViewProps & { signalId: string }) {
  const signal = useQuery(signalQuery(useApi(), signalId));
  return <Loaded query={signal}>{(detail) => <Evidence detail={detail} {...rest} />}</Loaded>;
}

function Evidence({ detail: { signal, trend }, seen, why, day, show, onAct }: ViewProps & { detail: SignalDetail }) {
  // A newer occurrence may come while a dialog is open.
  const [dialog, setDialog] = useState<{ name: "correct" | "add"; occurrence: Occurrence }>();
  const chosen = signal.occurrences.findIndex(({ id }) => id === seen);
  const at = Math.max(0, chosen);
  const occurrence = signal.occurrences[at];
  const verdict = occurrence && verdictOfOccurrence(signal, occurrence);
  const step = (by: number): void => {
    const next = signal.occurrences[at + by];
    if (next !== undefined) show({ seen: next.id });
  };
  const close = (): void => setDialog(undefined);
  const onWhy = (): void => show({ why: true, ...(occurrence && { seen: occurrence.id }) });
  const acts = {
    ...(occurrence && verdict && { onCorrect: () => setDialog({ name: "correct", occurrence }) }),
    ...(occurrence?.traceId !== undefined && { onAdd: () => setDialog({ name: "add", occurrence }) }),
  };
  useOccurrenceKeys({ occurrence, step, ...acts, ...(verdict && { onWhy }) });
  return (
    <div className="flex flex-col gap-6">
      {why && verdict ? (
        <WhyInstead verdict={verdict} onClose={() => show({ why: undefined })} />
      ) : (
        <>
          <SignalHeading signal={signal} />
          <SignalActs status={signal.status} onAct={onAct} {...acts} />
          <SignalOrigin signal={signal} />
          {occurrence && (
            <OccurrenceView
              occurrence={occurrence}
              at={at}
              count={signal.occurrences.length}
              signal={signal}
              onStep={step}
              onWhy={onWhy}
            />
          )}
          <Trend trend={trend} onOpen={(index) => show({ day: trend[index]?.ts })} />
          {day !== undefined ? (
            <SeenOn
              signalId={signal._id}
              {...(day !== everyDay && { from: day, to: trend.find(({ ts }) => ts > day)?.ts })}
              onClose={() => show({ day: undefined })}
            />
          ) : (
            signal.occurrences.length > 1 && (
              <OccurrenceList signal={signal} chosen={occurrence?.id} onSee={(id) => show({ seen: id })} />
            )
          )}
        </>
      )}
      {dialog?.name === "correct" && <CorrectScore signal={signal} occurrence={dialog.occurrence} onClose={close} />}
      {dialog?.name === "add" && dialog.occurrence.traceId !== undefined && (
        <AddToDataset traceIds={[dialog.occurrence.traceId]} signalId={signal._id} onClose={close} />
      )}
    </div>
  );
}

/** The keys of the visible occurrence; keys without a target are not bound. */
function useOccurrenceKeys({
  occurrence,
  step,
  onCorrect,
  onAdd,
  onWhy,
}: {
  occurrence: Occurrence | undefined;
  step(by: number): void;
  onCorrect?: () => void;
  onAdd?: () => void;
  onWhy?: () => void;
}): void {
  const { projectId } = useApi();
  const navigate = useNavigate();
  const { traceId } = occurrence ?? {};
  const openTrace = (): void => {
    if (traceId !== undefined) void navigate({ to: "/p/$projectId/traces/$traceId", params: { projectId, traceId } });
  };
  useShortcuts("Selected signal", [
    ...(onCorrect ? [{ keys: "c", label: "Correct the score", run: onCorrect }] : []),
    ...(onWhy ? [{ keys: "w", label: "Why this score", run: onWhy }] : []),
    ...(onAdd ? [{ keys: "a", label: "Add the trace to a dataset", run: onAdd }] : []),
    ...(traceId === undefined ? [] : [{ keys: "t", label: "Open the trace", run: openTrace }]),
    { keys: "]", label: "Earlier occurrence", run: () => step(1) },
    { keys: "[", label: "Later occurrence", run: () => step(-1) },
  ]);
}

function WhyInstead({ verdict, onClose }: { verdict: Parameters<typeof Why>[0]["verdict"]; onClose(): void }) {
  useShortcuts("Selected signal", [{ keys: "Escape", label: "Back to the signal", run: onClose }]);
  return (
    <Section
      title="Why this score"
      actions={
        <Button look="ghost" onClick={onClose}>
          <ChevronLeftIcon /> Signal
        </Button>
      }
    >
      <Why verdict={verdict} />
    </Section>
  );
}

function Trend({ trend, onOpen }: { trend: SignalDetail["trend"]; onOpen(index: number): void }) {
  const counted = trend.reduce((sum, { count }) => sum + count, 0);
  return (
    <TimeChart
      title="Last 30 days"
      total={countOf(counted, "time", "times")}
      kind="stacked"
      height={96}
      format={(count) => (Number.isInteger(count) ? formatCount(count) : "")}
      onOpen={onOpen}
      opened="occurrences"
      labels={trend.map(({ ts }) => formatDay(ts))}
      series={[{ key: "seen", label: "seen", color: "text-score-2", values: trend.map(({ count }) => count) }]}
    />
  );
}
