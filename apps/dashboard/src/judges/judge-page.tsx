import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { judgeScorersQuery } from "../blocks/why-queries.ts";
import { useApi } from "../shell/session.tsx";
import { Page } from "../ui/page.tsx";
import { EmptyState, Loaded } from "../ui/states.tsx";
import { WorstRatings } from "./worst-ratings.tsx";

const route = getRouteApi("/p/$projectId/judges/$judgeId");

/** One judge: its rubric and how it rates. */
export function JudgePage() {
  const api = useApi();
  const { judgeId } = route.useParams();
  const scorers = useQuery(judgeScorersQuery(api));
  const scorer = scorers.data?.find(({ _id }) => _id === judgeId);
  return (
    <Page title={scorer?.name ?? "Judge"} isFull>
      <Loaded query={scorers}>
        {() =>
          scorer?.online == null ? (
            <EmptyState title="Not live">This judge rates no live traffic.</EmptyState>
          ) : (
            <WorstRatings evaluatorId={scorer.online.profileId} threshold={scorer.online.alertThreshold} window="7d" />
          )
        }
      </Loaded>
    </Page>
  );
}
