/**
 * The common table expressions up to `pairs`: verdicts of live scorers and people's labels on the same traces. Parameters: the
 * project, the earliest time of labels, the scorer's key or null for all, and the lists of
 * {@link HumanLabels}: their traces, votes, comments and times.
 *
 * A person's label on a trace is the newest vote on it, or the newest score of a person that says good or bad; on one scorer's verdict it is the newest corrected score, if there is
 * one: bad if below the threshold that the verdict had. A corrected score belongs to a trace through the occurrence it was
 * given for.
 */
export const pairsSource = `
  with said_of_traces as (
    select trace_id, rating, comment, created_at, id
    from monitor.feedback
    where project_id = $1
      and created_at >= $2
    union all
    select trace_id, rating, comment, created_at, null
    from unnest($4::uuid[], $5::text[], $6::text[], $7::timestamptz[]) as scores (trace_id, rating, comment, created_at)
  ),
  votes as (
    select distinct on (trace_id) trace_id, rating, comment, created_at
    from said_of_traces
    order by trace_id, created_at desc, id desc nulls last
  ),
  corrections as (
    select distinct on (signals.pattern_key, occurrences.trace_id)
      signals.pattern_key as scorer_key, occurrences.trace_id, said.corrected_score, said.rationale, said.created_at
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
    select verdicts.trace_id, verdicts.scorer_key, verdicts.scorer_version, verdicts.scorer_name, verdicts.is_group,
           verdicts.rating, verdicts.threshold, verdicts.justification, verdicts.created_at,
           verdicts.record_id,
           verdicts.threshold is not null as takes_side,
           verdicts.rating < verdicts.threshold as scorer_fails,
           coalesce(corrections.corrected_score < verdicts.threshold, votes.rating = 'down') as person_fails,
           corrections.corrected_score, votes.rating as vote,
           case when corrections.corrected_score is null then votes.comment else corrections.rationale end as comment,
           coalesce(corrections.created_at, votes.created_at) as labelled_at
    from judged_by_people
    join monitor.verdicts on verdicts.project_id = $1 and verdicts.trace_id = judged_by_people.trace_id
    left join votes on votes.trace_id = verdicts.trace_id
    left join corrections
      on corrections.trace_id = verdicts.trace_id and corrections.scorer_key = verdicts.scorer_key
    where (votes.trace_id is not null or corrections.trace_id is not null)
      and ($3::text is null or verdicts.scorer_key = $3)
  )`;
