import type { Database } from "@touchstone/db";
import type { ScorerTally } from "./compose-agreement.ts";

/** Reads what live scorers and people said of the same traces. */
export interface AgreementReader {
  /**
   * By scorer and version, most pairs first, at most 200; only what people said from then on counts. A null `scorerKey`
   * reads all scorers.
   */
  tally(projectId: string, since: Date, scorerKey: string | null): Promise<ScorerTally[]>;
}

const scorersMax = 200;

/**
 * A person's word on a trace is the newest vote on it; on one scorer's verdict it is the newest corrected score, where
 * there is one: bad if below the threshold that the verdict had. A corrected score belongs to a trace through the
 * occurrence it was given for.
 */
const statement = `
  with votes as (
    select distinct on (trace_id) trace_id, rating = 'down' as is_bad
    from monitor.feedback
    where project_id = $1
      and created_at >= $2
    order by trace_id, created_at desc, id desc
  ),
  corrections as (
    select distinct on (signals.pattern_key, occurrences.trace_id)
      signals.pattern_key as scorer_key, occurrences.trace_id, said.corrected_score
    from monitor.signal_feedback as said
    join monitor.signals on signals.project_id = $1 and signals.id = said.signal_id
    join monitor.signal_occurrences as occurrences
      on occurrences.project_id = $1
      and occurrences.signal_id = said.signal_id
      and occurrences.id = said.occurrence_id
    where said.project_id = $1
      and said.created_at >= $2
      and said.corrected_score is not null
      and occurrences.trace_id is not null
    order by signals.pattern_key, occurrences.trace_id, said.created_at desc, said.id desc
  ),
  judged_by_people as (
    select trace_id from votes
    union
    select trace_id from corrections
  ),
  pairs as (
    select verdicts.scorer_key, verdicts.scorer_version, verdicts.scorer_name, verdicts.is_group, verdicts.created_at,
           verdicts.threshold is not null as takes_side,
           verdicts.rating < verdicts.threshold as scorer_fails,
           coalesce(corrections.corrected_score < verdicts.threshold, votes.is_bad) as person_fails,
           corrections.corrected_score is not null as is_corrected
    from judged_by_people
    join monitor.verdicts on verdicts.project_id = $1 and verdicts.trace_id = judged_by_people.trace_id
    left join votes on votes.trace_id = verdicts.trace_id
    left join corrections
      on corrections.trace_id = verdicts.trace_id and corrections.scorer_key = verdicts.scorer_key
    where (votes.trace_id is not null or corrections.trace_id is not null)
      and ($3::text is null or verdicts.scorer_key = $3)
  )
  select scorer_key, scorer_version, (array_agg(scorer_name order by created_at desc))[1] as scorer_name,
         bool_or(is_group) as is_group,
         count(*) filter (where takes_side and scorer_fails and person_fails)::integer as both_fail,
         count(*) filter (where takes_side and scorer_fails and not person_fails)::integer as only_scorer,
         count(*) filter (where takes_side and not scorer_fails and person_fails)::integer as only_person,
         count(*) filter (where takes_side and not scorer_fails and not person_fails)::integer as both_pass,
         count(*) filter (where takes_side and is_corrected)::integer as corrected,
         count(*) filter (where not takes_side)::integer as without_threshold
  from pairs
  group by scorer_key, scorer_version
  order by count(*) desc, scorer_key, scorer_version desc nulls last
  limit ${scorersMax}`;

export function createAgreementReader(database: Database): AgreementReader {
  return {
    async tally(projectId, since, scorerKey) {
      const { rows } = await database.readScoped<Row>([projectId], {
        name: "agreement_tally",
        text: statement,
        values: [projectId, since, scorerKey],
      });
      return rows.map((row) => ({
        scorerKey: row.scorer_key,
        scorerName: row.scorer_name,
        scorerVersion: row.scorer_version,
        isGroup: row.is_group,
        table: {
          bothFail: row.both_fail,
          onlyScorerFails: row.only_scorer,
          onlyPersonFails: row.only_person,
          bothPass: row.both_pass,
        },
        corrected: row.corrected,
        withoutThreshold: row.without_threshold,
      }));
    },
  };
}

type Row = {
  scorer_key: string;
  scorer_version: number | null;
  scorer_name: string;
  is_group: boolean;
  both_fail: number;
  only_scorer: number;
  only_person: number;
  both_pass: number;
  corrected: number;
  without_threshold: number;
};
