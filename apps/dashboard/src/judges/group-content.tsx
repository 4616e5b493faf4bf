import { Link } from "@tanstack/react-router";
import { useApi } from "../shell/session.tsx";
import { Section } from "../ui/page.tsx";
import { nameMembers } from "./group-members.ts";
import { describeGroupLive } from "./judge-list.ts";
import { LiveRatings, LiveWhy } from "./live-ratings.tsx";
import type { Group, Judge, LiveScorer } from "./queries.ts";

/** The page of a scorer group: its members and how it rates. */
export function GroupContent({ group, judges }: { group: Group; judges: readonly Judge[] }) {
  const { projectId } = useApi();
  const scorer: LiveScorer | null = group.online && {
    evaluatorId: group._id,
    threshold: group.online.alertThreshold,
  };
  return (
    <div className="flex min-h-0 flex-1">
      <div
        tabIndex={0}
        className="flex min-w-0 flex-1 flex-col gap-6 overflow-auto px-4 pb-8 outline-offset-[-2px] md:px-6"
      >
        <Section title="Members" aside="the rating is their weighted mean; 0 where one that must pass does not">
          <ul className="m-0 max-w-2xl list-none p-0">
            {nameMembers(group.members, judges).map(({ refId, kind, name, role }) => (
              <li key={refId} className="flex min-h-9 items-center gap-4 border-b border-line">
                {kind === "judge" ? (
                  <Link
                    to="/p/$projectId/judges/$judgeId"
                    params={{ projectId, judgeId: refId }}
                    className="min-w-0 flex-1 truncate text-ink hover:text-accent"
                  >
                    {name}
                  </Link>
                ) : (
                  <span className="min-w-0 flex-1 truncate">{name}</span>
                )}
                <span className="text-faint">{kind}</span>
                <span className="w-40 text-right text-soft">{role}</span>
              </li>
            ))}
          </ul>
        </Section>
        {scorer ? (
          <LiveRatings scorer={scorer} aside={describeGroupLive(group.online)} />
        ) : (
          <Section title="Live ratings" aside={describeGroupLive(null)}>
            <p className="m-0 text-soft">This group grades runs that name it; it rates no live traffic by itself.</p>
          </Section>
        )}
      </div>
      {scorer && <LiveWhy scorer={scorer} />}
    </div>
  );
}
