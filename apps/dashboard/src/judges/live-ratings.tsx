import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { WhyPanel } from "../blocks/why-panel.tsx";
import { useApi } from "../shell/session.tsx";
import { Section } from "../ui/page.tsx";
import { LiveChart } from "./live-chart.tsx";
import { type LiveScorer, verdictOfLive } from "./live-verdict.ts";
import { ratingsQuery } from "./queries.ts";
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
        onWhy={(id) => void navigate({ search: (before) => ({ ...before, why: id }) })}
      />
    </>
  );
}

/** The explanation of the rating that the URL names, beside the page; nothing if it is not among the loaded ones. */
export function LiveWhy({ scorer }: { scorer: LiveScorer }) {
  const { window = "7d", from, to, why } = route.useSearch();
  const navigate = useNavigate({ from: path });
  const pages = useInfiniteQuery({
    ...ratingsQuery(useApi(), scorer.evaluatorId, { window, from, to }),
    enabled: why !== undefined,
  }).data?.pages;
  const said = pages?.flatMap(({ events }) => events).find(({ id }) => id === why);
  if (said === undefined) return null;
  return (
    <WhyPanel
      verdicts={[verdictOfLive(said, scorer)]}
      onClose={() => void navigate({ search: (before) => ({ ...before, why: undefined }) })}
    />
  );
}
