import { LiveRatings, LiveWhy } from "./live-ratings.tsx";
import type { Judge, LiveScorer } from "./queries.ts";
import { RubricVersions } from "./rubric-versions.tsx";
import { TrustStrip } from "./trust-strip.tsx";
import { UsedIn } from "./used-in.tsx";

/** The page of a judge below its heading. */
export function JudgeContent({ judge }: { judge: Judge }) {
  const { online } = judge;
  const scorer: LiveScorer | null = online && {
    evaluatorId: online.profileId,
    threshold: online.alertThreshold,
  };
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
        {scorer && <LiveRatings scorer={scorer} />}
      </div>
      {scorer && <LiveWhy scorer={scorer} />}
    </div>
  );
}
