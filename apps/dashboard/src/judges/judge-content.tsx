import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { WhyPanel } from "../blocks/why-panel.tsx";
import { useApi } from "../shell/session.tsx";
import { Section } from "../ui/page.tsx";
import { LiveChart } from "./live-chart.tsx";
import { verdictOfLive } from "./live-verdict.ts";
import { type Judge, liveQueries } from "./queries.ts";
import { RubricVersions } from "./rubric-versions.tsx";
import { TrustStrip } from "./trust-strip.tsx";
import { UsedIn } from "./used-in.tsx";
import { WindowChoice } from "./window-choice.tsx";
import { WorstRatings } from "./worst-ratings.tsx";

const route = getRouteApi("/p/$projectId/judges/$judgeId");

/** The page of a judge below its heading. */
export function JudgeContent({ judge }: { judge: Judge }) {
  const { window = "7d", why } = route.useSearch();
  const navigate = useNavigate({ from: "/p/$projectId/judges/$judgeId" });
  const { online } = judge;
  const setWhy = (id: string | undefined): void => void navigate({ search: (before) => ({ ...before, why: id }) });
  return (
    <div className="flex min-h-0 flex-1">
      <div
        tabIndex={0}
        className="flex min-w-0 flex-1 flex-col gap-6 overflow-auto px-4 pb-8 outline-offset-[-2px] md:px-6"
      >
        <TrustStrip judge={judge} />
        <div className="grid min-w-0 gap-x-10 gap-y-6 lg:grid-cols-[3fr_2fr]">
          <RubricVersions judge={judge} />
          <UsedIn judge={judge} />
        </div>
        {online !== null && (
          <Section
            title="Live ratings"
            actions={
              <WindowChoice
                chosen={window}
                onChoose={(chosen) => void navigate({ search: (before) => ({ ...before, window: chosen }) })}
              />
            }
          >
            <LiveChart evaluatorId={online.profileId} threshold={online.alertThreshold} window={window} />
            <h3 className="mt-6 mb-1 text-sm">The worst</h3>
            <WorstRatings
              evaluatorId={online.profileId}
              threshold={online.alertThreshold}
              window={window}
              onWhy={setWhy}
            />
          </Section>
        )}
      </div>
      {online !== null && why !== undefined && (
        <LiveWhy evaluatorId={online.profileId} ratingId={why} onClose={() => setWhy(undefined)} />
      )}
    </div>
  );
}

function LiveWhy({ evaluatorId, ratingId, onClose }: { evaluatorId: string; ratingId: string; onClose(): void }) {
  const { window = "7d" } = route.useSearch();
  const events = useQuery(liveQueries(useApi(), evaluatorId, window).worst).data?.events;
  const said = events?.find(({ id }) => id === ratingId);
  if (said === undefined) return null;
  return <WhyPanel verdicts={[verdictOfLive(said, evaluatorId)]} onClose={onClose} />;
}
