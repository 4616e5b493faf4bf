import type { ReactNode } from "react";
import { TraceLink } from "../blocks/evidence-links.tsx";
import { useApi } from "../shell/session.tsx";
import { ButtonLink, IconButton } from "../ui/button.tsx";
import { classNames } from "../ui/class-names.ts";
import { formatCount } from "../ui/format.ts";
import { ChevronLeftIcon, ChevronRightIcon } from "../ui/icons.tsx";
import { Markdown } from "../ui/markdown.tsx";
import { Section, Time } from "../ui/page.tsx";
import { Score } from "../ui/score.tsx";
import type { Occurrence, Signal } from "./queries.ts";
import { useJudge } from "./signal-origin.tsx";

/** One occurrence of a signal: the question, the answer, and the judge's reason. */
export function OccurrenceView({
  occurrence,
  at,
  count,
  signal,
  onStep,
  onWhy,
}: {
  occurrence: Occurrence;
  at: number;
  count: number;
  signal: Signal;
  onStep(by: number): void;
  onWhy(): void;
}) {
  const { projectId } = useApi();
  const judge = useJudge(signal);
  const { traceId, sessionId, rating, justification, query, responsePreview, seenAt } = occurrence;
  const says = justification ?? (at === 0 ? signal.rootCause : undefined);
  // A rule over many traces has no single trace.
  if (says === undefined && query === undefined && responsePreview === undefined && traceId === undefined) return null;
  return (
    <Section
      title={at === 0 ? "Last seen" : "Seen before"}
      aside={
        <span className="inline-flex items-center gap-3">
          <Time iso={seenAt} />
          {rating !== undefined && (
            <Score rating={rating} threshold={judge?.threshold} scorer={judge?.name} onWhy={onWhy} />
          )}
        </span>
      }
      actions={
        <>
          {count > 1 && (
            <div className="flex items-center">
              <IconButton label="Later occurrence" disabled={at === 0} onClick={() => onStep(-1)}>
                <ChevronLeftIcon />
              </IconButton>
              <span className="text-soft tabular-nums">
                {at + 1} of {formatCount(count)}
              </span>
              <IconButton label="Earlier occurrence" disabled={at === count - 1} onClick={() => onStep(1)}>
                <ChevronRightIcon />
              </IconButton>
            </div>
          )}
          {traceId !== undefined && (
            <ButtonLink to="/p/$projectId/traces/$traceId" params={{ projectId, traceId }}>
              Trace
            </ButtonLink>
          )}
          {sessionId !== undefined && (
            <ButtonLink to="/p/$projectId/sessions/$sessionId" params={{ projectId, sessionId }} look="ghost">
              Session
            </ButtonLink>
          )}
        </>
      }
    >
      <dl className="m-0 grid grid-cols-[5.5rem_1fr] gap-y-3 rounded-md border border-line p-3 max-md:grid-cols-1 max-md:gap-y-1">
        {says !== undefined && <Told name={rating === undefined ? "Because" : "The judge"}>{says}</Told>}
        {query !== undefined && <Told name="Question">{query}</Told>}
        {responsePreview !== undefined && <Told name="Answer">{responsePreview}</Told>}
      </dl>
    </Section>
  );
}

function Told({ name, children }: { name: ReactNode; children: string }) {
  return (
    <>
      <dt className="text-faint">{name}</dt>
      <dd className="m-0 min-w-0 break-words max-md:mb-2">
        <Markdown text={children} />
      </dd>
    </>
  );
}

/** All stored occurrences of a signal, newest first. */
export function OccurrenceList({
  signal: { occurrences, occurrenceCount: total },
  chosen,
  onSee,
}: {
  signal: Signal;
  chosen: string | undefined;
  onSee(id: string): void;
}) {
  const kept = occurrences.length;
  return (
    <Section
      title="Occurrences"
      aside={kept < total ? `the newest ${formatCount(kept)} of ${formatCount(total)}` : formatCount(kept)}
    >
      <ul className="m-0 list-none border-t border-line p-0">
        {occurrences.map(({ id, seenAt, rating, query, responsePreview, traceId }) => (
          <li
            key={id}
            className={classNames(
              "flex min-h-8 items-center gap-3 border-b border-line px-1 max-md:min-h-11",
              id === chosen ? "bg-chosen" : "hover:bg-hover",
            )}
          >
            <button
              type="button"
              aria-current={id === chosen || undefined}
              onClick={() => onSee(id)}
              className="flex min-h-8 min-w-0 flex-1 items-center gap-3 text-left max-md:min-h-11"
            >
              <span className="w-24 shrink-0 text-soft tabular-nums">
                <Time iso={seenAt} />
              </span>
              {rating !== undefined && (
                <span className="w-10 shrink-0">
                  <Score rating={rating} />
                </span>
              )}
              <span className="min-w-0 flex-1 truncate">{query ?? responsePreview ?? "-"}</span>
            </button>
            {traceId !== undefined && <TraceLink traceId={traceId}>Trace</TraceLink>}
          </li>
        ))}
      </ul>
    </Section>
  );
}
