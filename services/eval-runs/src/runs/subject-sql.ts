/** What a subject says, which no operator can open that has a \u0000 in it: such a run is found by nothing it says. */
export const saidBySubject = (expressions: readonly string[]): string =>
  `case when pg_input_is_valid(evaluation_subject::text, 'jsonb') then concat_ws(E'\\n', ${expressions.join(", ")}) end`;

export const nameOfSubject = "coalesce(evaluation_subject ->> 'displayName', evaluation_subject ->> 'name')";

/** Branch and commit stand in `git` (pipelines) or `metadata` (the SDK). Null where the subject names none. */
export const branchOfSubject = `nullif(${saidBySubject([
  "coalesce(evaluation_subject #>> '{git,branch}', evaluation_subject #>> '{metadata,branch}')",
])}, '')`;
export const commitOfSubject = `nullif(${saidBySubject([
  "coalesce(evaluation_subject #>> '{git,commit_sha}', evaluation_subject #>> '{git,commit}', evaluation_subject #>> '{metadata,commit}')",
])}, '')`;
