import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useApi } from "../shell/session.tsx";
import { formatRating } from "../ui/format.ts";
import { Markdown } from "../ui/markdown.tsx";
import { Badge, Time } from "../ui/page.tsx";
import { Score } from "../ui/score.tsx";
import { findScorer, type Rubric } from "./rubric.ts";
import { RubricView } from "./rubric-view.tsx";
import { passes, skipSentence, type Verdict } from "./verdict.ts";
import { VerdictTrust } from "./verdict-trust.tsx";
import { VerdictVote } from "./verdict-vote.tsx";
import { judgeScorersQuery, rubricDatasetQuery, scorerGroupsQuery, settingsVersionsQuery } from "./why-queries.ts";

/** The content of the panel: what rated, what it said, by which rubric, how, and whether people agree. */
export function Why({ verdict: given }: { verdict: Verdict }) {
  const api = useApi();
  const scorers = useQuery(judgeScorersQuery(api));
  const scorer = findScorer(given.scorer, scorers.data ?? []);
  const isLive = given.scorer.evaluatorId !== null;
  const thresholdNow = isLive ? (scorer?.online?.alertThreshold ?? null) : null;
  const isThresholdNow = given.threshold === null && thresholdNow !== null;
  const threshold = given.threshold ?? thresholdNow;
  const verdict = { ...given, threshold };
  const name = verdict.scorer.name ?? scorer?.online?.name ?? scorer?.name ?? null;
  return (
    <div className="flex flex-col gap-5">
      <header className="flex flex-col gap-2">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span className="text-xl font-semibold">
            <Score rating={verdict.rating} threshold={threshold} scorer={name ?? undefined} />
          </span>
          <Outcome verdict={verdict} isThresholdNow={isThresholdNow} />
        </div>
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
          {scorer === undefined ? (
            <span className="font-medium">{name ?? "A scorer that is not there any more"}</span>
          ) : (
            <Link
              to="/p/$projectId/judges/$judgeId"
              params={{ projectId: api.projectId, judgeId: scorer._id }}
              className="font-medium text-accent"
            >
              {name}
            </Link>
          )}
          {verdict.scorer.kind === "group" && <Badge>group</Badge>}
          {verdict.scorer.version !== null && <Badge>version {verdict.scorer.version}</Badge>}
          {verdict.createdAt !== null && (
            <span className="text-faint">
              <Time iso={verdict.createdAt} />
            </span>
          )}
        </div>
      </header>
      <Said verdict={verdict} />
      {verdict.traceId !== null && verdict.rating !== null && (
        <Part title="Do you agree?">
          <VerdictVote verdict={verdict} traceId={verdict.traceId} />
        </Part>
      )}
      {scorer?.online != null && <VerdictTrust scorerId={scorer._id} evaluatorId={scorer.online.profileId} />}
      <Facts verdict={verdict} />
      {scorer !== undefined && verdict.scorer.version !== null && verdict.scorer.version < scorer.versionCount ? (
        <RubricThen settingsId={scorer._id} version={verdict.scorer.version} />
      ) : (
        <RubricOf verdict={verdict} current={scorer?.judge} isLoading={scorers.isPending} />
      )}
    </div>
  );
}

function Outcome({ verdict, isThresholdNow }: { verdict: Verdict; isThresholdNow: boolean }) {
  if (verdict.status === "skipped") return <Badge look="warn">skipped</Badge>;
  const isPassing = passes(verdict);
  if (isPassing === null) return <span className="text-faint">no threshold</span>;
  return (
    <>
      <Badge look={isPassing ? "good" : "bad"}>{isPassing ? "passes" : "fails"}</Badge>
      <span className="text-soft">
        threshold {formatRating(verdict.threshold)}
        {isThresholdNow && ", as it is now"}
      </span>
    </>
  );
}

function Said({ verdict }: { verdict: Verdict }) {
  return (
    <div className="flex flex-col gap-2">
      {verdict.skipCode !== null && (
        <p className="m-0 rounded-sm bg-warn-ground px-2.5 py-1.5 text-warn">
          {skipSentence(verdict.skipCode)} <code>{verdict.skipCode}</code>
        </p>
      )}
      {verdict.justification === null || verdict.justification === "" ? (
        <p className="m-0 text-soft">No justification was recorded.</p>
      ) : (
        <blockquote className="m-0 border-l-2 border-control pl-3 text-base" dir="auto">
          <Markdown text={verdict.justification} />
        </blockquote>
      )}
    </div>
  );
}

const sources = {
  live: "Live: the judge was asked",
  cache: "Cache: an equal question was on record, or asked",
  replay: "Replay: taken from the record",
};

function Facts({ verdict }: { verdict: Verdict }) {
  const facts: [string, ReactNode][] = [];
  if (verdict.model !== null) facts.push(["Model", verdict.model]);
  if (verdict.source !== null) facts.push(["Source", sources[verdict.source]]);
  if (verdict.traceId !== null) facts.push(["Trace", <TraceLink key="trace" traceId={verdict.traceId} />]);
  if (verdict.sessionId !== null) facts.push(["Session", verdict.sessionId]);
  if (facts.length === 0) return null;
  return (
    <dl className="m-0 grid grid-cols-[6rem_minmax(0,1fr)] gap-x-3 gap-y-1">
      {facts.map(([label, value]) => (
        <div key={label} className="contents">
          <dt className="text-faint">{label}</dt>
          <dd className="m-0 min-w-0 break-words">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function TraceLink({ traceId }: { traceId: string }) {
  const { projectId } = useApi();
  return (
    <Link to="/p/$projectId/traces/$traceId" params={{ projectId, traceId }} className="font-mono text-xs text-accent">
      {traceId}
    </Link>
  );
}

/** The rubric of the version that judged, where another one is in force by now. */
function RubricThen({ settingsId, version }: { settingsId: string; version: number }) {
  const versions = useQuery(settingsVersionsQuery(useApi(), settingsId)).data;
  if (versions === undefined) return null;
  const found = versions.find(({ versionNumber }) => versionNumber === version);
  return (
    <Part title={`Rubric, version ${version}`}>
      {found === undefined ? (
        <p className="m-0 text-soft">This version was deleted.</p>
      ) : (
        <RubricView rubric={found.snapshot} />
      )}
    </Part>
  );
}

/** The rubric as it is now; of a group, its members; of a run by its dataset's criteria, those. */
function RubricOf({
  verdict: { scorer },
  current,
  isLoading,
}: {
  verdict: Verdict;
  current: Rubric | undefined;
  isLoading: boolean;
}) {
  const api = useApi();
  const isUnknown = current === undefined && !isLoading;
  const dataset = useQuery({
    ...rubricDatasetQuery(api, scorer.settingsId ?? ""),
    enabled: isUnknown && scorer.kind === "judge" && scorer.settingsId !== null,
    retry: false,
  });
  if (scorer.kind === "group") return <Members groupId={scorer.evaluatorId} name={scorer.name} />;
  const rubric = current ?? dataset.data;
  if (rubric === undefined) return null;
  return (
    <Part title={current === undefined ? "Criteria of the dataset, as they are now" : "Rubric, as it is now"}>
      <RubricView rubric={rubric} />
    </Part>
  );
}

function Members({ groupId, name }: { groupId: string | null; name: string | null }) {
  const api = useApi();
  const groups = useQuery(scorerGroupsQuery(api)).data ?? [];
  const scorers = useQuery(judgeScorersQuery(api)).data ?? [];
  const group = groups.find((each) => (groupId === null ? each.name === name : each._id === groupId));
  if (group === undefined) return null;
  return (
    <Part title="Members, as they are now">
      <ul className="m-0 list-none p-0">
        {group.members.map(({ refId, kind, weight, gate }) => (
          <li key={refId} className="flex gap-3 border-b border-line py-1.5 last:border-b-0">
            <span className="min-w-0 flex-1 truncate">{scorers.find(({ _id }) => _id === refId)?.name ?? kind}</span>
            <span className="text-soft">{gate ? "must pass" : `weight ${weight}`}</span>
          </li>
        ))}
      </ul>
    </Part>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <h3 className="m-0 mb-1.5 text-sm">{title}</h3>
      {children}
    </section>
  );
}
