import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import { useApi } from "../shell/session.tsx";
import { Badge, Section } from "../ui/page.tsx";
import { Score } from "../ui/score.tsx";
import { EmptyState, Loaded } from "../ui/states.tsx";
import type { Run } from "./case-rows.ts";
import { datasetVersionQuery, reportQuery } from "./queries.ts";
import { casesOfVersion, linkClaim, type QuotedCase } from "./report-claims.ts";

const route = getRouteApi("/p/$projectId/runs/$runId");

/** The report of a run's analysis. Each claim links to the cases that it names. */
export function RunReport({ run }: { run: Run }) {
  const api = useApi();
  const report = useQuery(reportQuery(api, run._id));
  const { datasetId, datasetVersion } = run;
  const versions = useQuery({
    ...datasetVersionQuery(api, datasetId, datasetVersion ?? 0),
    enabled: report.data != null && datasetVersion !== null,
  });
  const cases = useMemo(() => casesOfVersion(versions.data ?? [], datasetVersion), [versions.data, datasetVersion]);
  return (
    <div className="min-h-0 flex-1 overflow-y-auto px-4 py-4 md:px-6">
      <Loaded query={report}>
        {(found) =>
          found === null ? (
            <EmptyState title="No report yet">
              "Write a report" in the menu of this run asks a judge model to read its best and worst results and to say
              what they have in common.
            </EmptyState>
          ) : (
            <div className="flex max-w-4xl flex-col gap-6">
              {found.stale && <Badge look="warn">The run was rescored since this was written</Badge>}
              {found.failureReason !== null && (
                <p className="m-0 rounded-sm bg-bad-ground px-2.5 py-1.5 text-bad">{found.failureReason.message}</p>
              )}
              <Narrative report={found} cases={cases} />
            </div>
          )
        }
      </Loaded>
    </div>
  );
}

type Report = NonNullable<Awaited<ReturnType<NonNullable<ReturnType<typeof reportQuery>["queryFn"]>>>>;

function Narrative({ report, cases }: { report: Report; cases: readonly QuotedCase[] }) {
  const { summary, overallAssessment, recommendations, instructionAdherence, responsePatterns } = report;
  const { reasoningAnalysis, toolUsageAnalysis, consistencyScore } = report;
  if (summary === undefined) return null;
  const list = (title: string, claims: readonly string[] | undefined): ReactNode => (
    <Claims title={title} claims={claims ?? []} cases={cases} />
  );
  return (
    <>
      <p className="m-0 text-base">
        <Claim text={summary} cases={cases} />
      </p>
      <p className="m-0 flex flex-wrap gap-x-6 gap-y-1 text-soft">
        <span>
          Keeps to its instructions <Score rating={instructionAdherence?.score} />
        </span>
        <span>
          Consistency <Score rating={consistencyScore} />
        </span>
      </p>
      <div className="grid gap-6 md:grid-cols-2">
        {list("Weaknesses", overallAssessment?.weaknesses)}
        {list("Strengths", overallAssessment?.strengths)}
      </div>
      {recommendations !== undefined && recommendations.length > 0 && (
        <Section title="What to change">
          <ol className="m-0 flex list-none flex-col gap-3 p-0">
            {recommendations.map(({ category, priority, recommendation, reasoning }, index) => (
              <li key={index} className="border-t border-line pt-3">
                <Badge look={priority === "high" ? "bad" : "plain"}>{priority}</Badge>{" "}
                <span className="text-faint">{category}</span>
                <div className="mt-1">
                  <Claim text={recommendation} cases={cases} />
                </div>
                <div className="text-soft">
                  <Claim text={reasoning} cases={cases} />
                </div>
              </li>
            ))}
          </ol>
        </Section>
      )}
      <div className="grid gap-6 md:grid-cols-2">
        {list("Deviations from the instructions", instructionAdherence?.deviations)}
        {list("Outliers", responsePatterns?.outliers)}
        {list("Alike in the answers", responsePatterns?.similarities)}
        {list("Different in the answers", responsePatterns?.differences)}
        {list("Gaps in the reasoning", reasoningAnalysis?.reasoningGaps)}
        {list("Trouble with tools", toolUsageAnalysis?.issues)}
      </div>
    </>
  );
}

function Claims({ title, claims, cases }: { title: string; claims: readonly string[]; cases: readonly QuotedCase[] }) {
  if (claims.length === 0) return null;
  return (
    <Section title={title}>
      <ul className="m-0 flex flex-col gap-2 pl-4">
        {claims.map((claim, index) => (
          <li key={index}>
            <Claim text={claim} cases={cases} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** A sentence in which quoted questions link to their cases. */
function Claim({ text, cases }: { text: string; cases: readonly QuotedCase[] }) {
  const { projectId } = useApi();
  const { runId } = route.useParams();
  return linkClaim(text, cases).map(({ text: piece, caseKey }, index) =>
    caseKey === null ? (
      <span key={index}>{piece}</span>
    ) : (
      <Link
        key={index}
        from="/p/$projectId/runs/$runId"
        to="/p/$projectId/runs/$runId"
        params={{ projectId, runId }}
        search={(before) => ({ ...before, case: caseKey })}
        title={`Case ${caseKey}`}
        className="text-accent underline"
      >
        {piece}
      </Link>
    ),
  );
}
