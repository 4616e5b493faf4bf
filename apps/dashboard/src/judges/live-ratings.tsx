import { getRouteApi, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { SessionWhy, TraceWhy } from "../blocks/why-panel.tsx";
import { Section } from "../ui/page.tsx";
import { LiveChart } from "./live-chart.tsx";
import type { LiveRating, LiveScorer } from "./queries.ts";
import { RatingList } from "./rating-list.tsx";
import { ratingsHash } from "./rating-points.ts";
import { WindowChoice } from "./window-choice.tsx";

const route = getRouteApi("/p/$projectId/judges/$judgeId");
const path = "/p/$projectId/judges/$judgeId";

/** The ratings of a live judge or group: over time, and each with its reason. A point of a chart lists the ratings of its time. */
export function LiveRatings({ scorer, aside }: { scorer: LiveScorer; aside?: ReactNode }) {
  const { window = "7d", from, to } = route.useSearch();
  const navigate = useNavigate({ from: path });
  const { evaluatorId, threshold } = scorer;
  const everything = { from: undefined, to: undefined };
  return (
    <>
      <Section
        title="Live ratings"
        aside={aside}
        actions={
          <WindowChoice
            chosen={window}
            onChoose={(chosen) =>
              void navigate({ search: (before) => ({ ...before, ...everything, window: chosen }), hash: "" })
            }
          />
        }
      >
        <LiveChart
          evaluatorId={evaluatorId}
          threshold={threshold}
          window={window}
          onOpen={(time) => void navigate({ search: (before) => ({ ...before, ...time }), hash: ratingsHash })}
        />
      </Section>
      <RatingList
        scorer={scorer}
        search={{ window, from, to }}
        onShowAll={() => void navigate({ search: (before) => ({ ...before, ...everything }), hash: ratingsHash })}
        onWhy={(rated) => void navigate({ search: (before) => ({ ...before, ...whyOf(rated) }) })}
      />
    </>
  );
}

/** A trace has one rating by a live scorer; a session has one for each of its rounds. */
const whyOf = ({ id, traceId, sessionId }: LiveRating) =>
  traceId === null && sessionId !== null ? { why: id, session: sessionId } : { why: traceId ?? id, session: undefined };

/** The explanation of the rating that the URL names, beside the page. */
export function LiveWhy({ scorer: { evaluatorId } }: { scorer: LiveScorer }) {
  const { why, session } = route.useSearch();
  const navigate = useNavigate({ from: path });
  if (why === undefined) return null;
  const close = (): void => void navigate({ search: (before) => ({ ...before, why: undefined, session: undefined }) });
  if (session !== undefined) return <SessionWhy key={why} sessionId={session} chosen={why} onClose={close} />;
  return <TraceWhy key={why} traceId={why} evaluatorId={evaluatorId} onClose={close} />;
}
