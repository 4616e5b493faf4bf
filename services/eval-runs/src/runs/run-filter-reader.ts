import type { runStatus } from "@touchstone/contracts";
import { readableJson } from "@touchstone/db";
import type { z } from "zod";
import { externalSource } from "../judging/judgement.ts";

/** Filters of runs; null = all. */
export interface RunFilter {
  datasetId: string | null;
  status: z.infer<typeof runStatus> | null;
  runSource: string | null;
  /** The agent's complete name. */
  subject: string | null;
  /** The agent's complete version, without white space around it; {@link unversioned} for runs that state none. */
  version: string | null;
  /** Only those that a comparison of versions and the gates count: {@link isJudgedRun}. */
  isJudged: boolean;
  /** Created at this time or later. */
  from: Date | null;
  /** Created before this time. */
  to: Date | null;
  /** Part of the subject, or a prefix of the id. */
  search: string | null;
}

/** In SQL: a run that answers a dataset, and of an external one that a judge has rated a result. */
export const isJudgedRun = `
  run_source <> 'trace-eval'
  and (run_source <> '${externalSource}' or exists (
    select
    from evals.results
    where results.project_id = runs.project_id
      and results.run_id = runs.id
      and results.rating is not null
  ))`;

/** Values of a subject, one per line. */
const saidBySubject = (expressions: readonly string[]): string =>
  `(select concat_ws(E'\\n', ${expressions.join(", ")}) from (select ${readableJson("evaluation_subject")}) as read (subject))`;

const nameOfSubject = "coalesce(subject ->> 'displayName', subject ->> 'name')";

/** The label of runs that state no version. */
export const unversioned = "(unversioned)";

/** What JavaScript trims. */
const whiteSpace = String.raw` \t\n\u000b\f\r\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff`;
const label = (value: string): string => String.raw`
  case json_typeof(${value})
    when 'string' then nullif(btrim(${value} #>> '{}', E'${whiteSpace}'), '')
    when 'number' then
      case
        when ${value}::text ~ '^-?\d{1,15}(\.\d{1,15})?$' then trim_scale(${value}::text::numeric)::text
        else ${value}::text
      end
  end`;
/** As `readVersionLabel` reads it, except for numbers that JavaScript rounds or writes with an exponent. */
const versionOfSubject = `coalesce(${label("(subject -> 'version')")}, ${label("(subject #> '{metadata,version}')")}, '${unversioned}')`;

/** Branch and commit are in `git` (pipelines) or `metadata` (the SDK). Null if the subject has none. */
export const branchOfSubject = `nullif(${saidBySubject([
  "coalesce(subject #>> '{git,branch}', subject #>> '{metadata,branch}')",
])}, '')`;
export const commitOfSubject = `nullif(${saidBySubject([
  "coalesce(subject #>> '{git,commit_sha}', subject #>> '{git,commit}', subject #>> '{metadata,commit}')",
])}, '')`;

/** In SQL: a run that matches a filter. The first ten parameters are {@link filterValues}. */
export const matchesFilter = `
  project_id = $1
  and ($2::uuid is null or dataset_id = $2)
  and ($3::text is null or status = $3)
  and ($4::text is null or run_source = $4)
  and ($5::text is null or ${saidBySubject([nameOfSubject])} = $5)
  and ($6::timestamptz is null or created_at >= $6)
  and ($7::timestamptz is null or created_at < $7)
  and ($8::text is null or id::text ilike $8 or ${saidBySubject([
    nameOfSubject,
    "subject ->> 'version'",
    "subject #>> '{metadata,version}'",
    "subject #>> '{metadata,branch}'",
    "subject #>> '{metadata,commit}'",
    "subject #>> '{git,branch}'",
    "subject #>> '{git,commit_sha}'",
  ])} ilike '%' || $8)
  and ($9::text is null or ${saidBySubject([versionOfSubject])} = $9)
  and ($10::boolean is not true or (${isJudgedRun}))`;

/** The parameters of {@link matchesFilter}. */
export function filterValues(projectId: string, filter: RunFilter): unknown[] {
  const { datasetId, status, runSource, subject, from, to, search, version, isJudged } = filter;
  const pattern = search === null ? null : `${search.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
  return [projectId, datasetId, status, runSource, subject, from, to, pattern, version, isJudged];
}
