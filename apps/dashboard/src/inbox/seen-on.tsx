import { useInfiniteQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef } from "react";
import { SessionLink, TraceLink } from "../blocks/evidence-links.tsx";
import { useApi } from "../shell/session.tsx";
import { Button } from "../ui/button.tsx";
import { countOf, formatDay } from "../ui/format.ts";
import { Section, Time } from "../ui/page.tsx";
import { Score } from "../ui/score.tsx";
import { Loaded } from "../ui/states.tsx";
import { signalEventsQuery } from "./queries.ts";

interface SeenOnProps {
  signalId: string;
  /** The start of the day; absent: every day. */
  from?: string;
  /** Its end; absent of the last day. */
  to?: string | undefined;
  /** Lists the newest occurrences again. */
  onClose(): void;
}

/** What a signal's count, or one day of its trend, counts, newest first, each with its trace or session. */
export function SeenOn({ signalId, from, to, onClose }: SeenOnProps) {
  const title = from === undefined ? "Every time it was seen" : `Seen on ${formatDay(from)}`;
  const events = useInfiniteQuery(signalEventsQuery(useApi(), signalId, { from, to }));
  const rows = events.data?.pages.flatMap((page) => page.events) ?? [];
  const total = events.data?.pages[0]?.totalCount;
  const section = useRef<HTMLDivElement>(null);
  useEffect(() => section.current?.focus(), [from]);
  return (
    <div ref={section} tabIndex={-1} className="outline-none">
      <Section
        title={title}
        aside={total !== undefined && countOf(total, "time", "times")}
        actions={<Button onClick={onClose}>The newest</Button>}
      >
        <Loaded query={events}>
          {() =>
            rows.length === 0 ? (
              <p className="m-0 text-soft">
                {from === undefined
                  ? "The traces and sessions in which it was seen are gone."
                  : "It was not seen on this day."}
              </p>
            ) : (
              <ul aria-label={title} className="m-0 list-none border-t border-line p-0">
                {rows.map(({ id, seenAt, rating, input, output, traceId, sessionId }) => (
                  <li key={id} className="flex min-h-8 items-center gap-3 border-b border-line px-1 max-md:min-h-11">
                    <span className="w-24 shrink-0 text-soft tabular-nums">
                      <Time iso={seenAt} />
                    </span>
                    {rating !== null && (
                      <span className="w-10 shrink-0">
                        <Score rating={rating} />
                      </span>
                    )}
                    <span className="min-w-0 flex-1 truncate">{input ?? output ?? "-"}</span>
                    <Place traceId={traceId} sessionId={sessionId} />
                  </li>
                ))}
              </ul>
            )
          }
        </Loaded>
        {events.hasNextPage && (
          <Button isBusy={events.isFetchingNextPage} onClick={() => void events.fetchNextPage()} className="mt-3">
            Show earlier
          </Button>
        )}
      </Section>
    </div>
  );
}

function Place({ traceId, sessionId }: { traceId: string | null; sessionId: string | null }): ReactNode {
  if (traceId !== null) return <TraceLink traceId={traceId}>Trace</TraceLink>;
  return sessionId !== null && <SessionLink sessionId={sessionId}>Session</SessionLink>;
}
