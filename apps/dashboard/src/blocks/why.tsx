import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useApi } from "../shell/session.tsx";
import { formatCost, formatCount, formatDuration, formatRating } from "../ui/format.ts";
import { Markdown } from "../ui/markdown.tsx";
import { Badge, Time } from "../ui/page.tsx";
import { Score } from "../ui/score.tsx";
import { SessionLink, TraceLink } from "./evidence-links.tsx";
import { findScorer } from "./rubric.ts";
import { passes, skipSentence, type Verdict } from "./verdict.ts";
import { VerdictTrust } from "./verdict-trust.tsx";
import { VerdictVote } from "./verdict-vote.tsx";
import { WhyJudges } from "./why-judges.tsx";
import { WhyPart } from "./why-part.tsx";
import { judgeScorersQuery, type VerdictRecord, verdictRecordQuery } from "./why-queries.ts";
import { WhyRecord } from "./why-record.tsx";
import { WhyRubric } from "./why-rubric.tsx";

/** The content of the panel: the scorer, its reason, the rubric, the method, and its agreement with people. */
export function Why({ verdict: given }: { verdict: Verdict }) {
  const api = useApi();
  const scorers = useQuery(judgeScorersQuery(api));
  const recording = useQuery(verdictRecordQuery(api, given.verdictId));
  const record = recording.data;
  const scorer = findScorer(given.scorer, scorers.data ?? []);
  const isLive = given.scorer.evaluatorId !== null;
  const thresholdNow = isLive ? (scorer?.online?.alertThreshold ?? null) : null;
  const isThresholdNow = given.threshold === null && thresholdNow !== null;
  const threshold = given.threshold ?? thresholdNow;
  const verdict = withRecord({ ...given, threshold }, record);
  const name = verdict.scorer.name ?? scorer?.online?.name ?? scorer?.name ?? null;
  const isDeleted = scorers.isSuccess && verdict.scorer.kind !== "group";
  const unknownScorer = isDeleted ? "A scorer that no longer exists" : "A scorer";
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
            <span className="font-medium">{name ?? unknownScorer}</span>
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
        <WhyPart title="Do you agree?">
          <VerdictVote verdict={verdict} traceId={verdict.traceId} />
        </WhyPart>
      )}
      {scorer?.online != null && (
        <VerdictTrust
          scorerId={scorer._id}
          evaluatorId={scorer.online.profileId}
          version={verdict.scorer.version ?? scorer.version}
        />
      )}
      <Facts verdict={verdict} record={record} />
      {given.judges != null && given.judges.length > 0 && <WhyJudges judges={given.judges} />}
      {given.verdictId !== null && (
        <WhyPart title="Prompt and reply">
          <WhyRecord query={recording} />
        </WhyPart>
      )}
      {(given.verdictId === null || !recording.isPending) && (
        <WhyRubric verdict={verdict} record={record} scorer={scorer} isLoading={scorers.isPending} />
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
        {isThresholdNow && ", current value"}
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

/** Further details from the record of a verdict. */
function withRecord(verdict: Verdict, record: VerdictRecord | undefined): Verdict {
  if (record === undefined) return verdict;
  const { scorer } = verdict;
  return {
    ...verdict,
    model: record.model,
    skipCode: verdict.skipCode ?? record.skipCode,
    source: verdict.source ?? record.source,
    scorer: { ...scorer, version: scorer.version ?? record.scorerVersion },
  };
}

const idLook = "font-mono text-xs";

function Facts({ verdict, record }: { verdict: Verdict; record: VerdictRecord | undefined }) {
  const facts: [string, ReactNode][] = [];
  if (verdict.model !== null) facts.push(["Model", verdict.model]);
  if (verdict.source !== null) facts.push(["Source", sources[verdict.source]]);
  if (record !== undefined) {
    const { input, output } = record.tokens;
    facts.push(["Tokens", `${formatCount(input)} in, ${formatCount(output)} out`]);
    const hasNoPrice = record.costUSD === null && input !== null && output !== null;
    facts.push(["Cost", hasNoPrice ? "The model has no price" : formatCost(record.costUSD)]);
    facts.push(["Latency", formatDuration(record.latencyMs)]);
  }
  if (verdict.traceId !== null)
    facts.push(["Trace", <TraceLink key="trace" traceId={verdict.traceId} className={idLook} />]);
  if (verdict.sessionId !== null)
    facts.push(["Session", <SessionLink key="session" sessionId={verdict.sessionId} className={idLook} />]);
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
