import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { calibrationQuery } from "../blocks/why-queries.ts";
import { useApi } from "../shell/session.tsx";
import { countOf } from "../ui/format.ts";
import { Panel } from "../ui/page.tsx";
import { Kappa } from "./kappa.tsx";
import type { Judge } from "./queries.ts";
import { currentOf, trustOf, versionsOf } from "./trust.ts";

/** Two lines on whether the judge can be trusted, with a link to the details. */
export function TrustStrip({ judge }: { judge: Judge }) {
  const api = useApi();
  const calibration = useQuery(calibrationQuery(api)).data;
  if (judge.online === null) {
    return (
      <Note>
        How far this judge agrees with people is not known yet: votes are set beside live ratings, and it rates runs
        only. Edit it to let it rate a share of the live traces.
      </Note>
    );
  }
  if (judge.online.scope === "session") {
    return (
      <Note>It rates sessions as a whole. People vote on traces, so its agreement with them is not measured.</Note>
    );
  }
  if (calibration === undefined) return <Panel className="h-16 shrink-0" children={null} />;
  const versions = versionsOf(calibration.scorers, `online-eval:${judge.online.profileId}`);
  const current = currentOf(versions, judge.version);
  const { headline, advice } = trustOf(current, calibration.minPairs);
  return (
    <Link
      to="/p/$projectId/judges/$judgeId/agreement"
      params={{ projectId: api.projectId, judgeId: judge._id }}
      className="flex flex-wrap items-center gap-x-8 gap-y-2 rounded-md border border-line px-4 py-3 text-ink no-underline hover:bg-hover"
    >
      <span className="min-w-0 flex-1 basis-80">
        <span className="block text-base font-medium">{headline}</span>
        <span className="block text-soft">{advice}</span>
      </span>
      <span className="flex flex-col items-start gap-0.5">
        <span className="text-xs text-faint">
          Agreement with people (kappa, 95%)
          {`, ${countOf(current?.pairs ?? 0, "label")}, version ${judge.version}`}
        </span>
        <Kappa agreement={current} minPairs={calibration.minPairs} />
      </span>
      <span className="text-accent">How far it can be trusted</span>
    </Link>
  );
}

function Note({ children }: { children: string }) {
  return <Panel className="px-4 py-3 text-soft">{children}</Panel>;
}
