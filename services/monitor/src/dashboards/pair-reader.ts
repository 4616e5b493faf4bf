import type { agreementCell } from "@touchstone/contracts";
import type { Database } from "@touchstone/db";
import type { z } from "zod";
import type { IngestClient } from "../ingest-client.ts";
import { readHumanLabels } from "./human-labels.ts";

export type AgreementCell = z.infer<typeof agreementCell>;

/** A trace that a scorer rated against a threshold and a person labelled. */
export interface LabelledTrace {
  traceId: string;
  scorerVersion: number | null;
  rating: number;
  threshold: number;
  justification: string | null;
  /** The id of the judge's record behind the rating. */
  verdictId: string | null;
  judgedAt: Date;
  scorerFails: boolean;
  personFails: boolean;
  vote: "up" | "down" | null;
  correctedScore: number | null;
  comment: string | null;
  labelledAt: Date;
  position: PairPosition;
}

/** The position of a pair in the list: the time of its label, in microseconds since the epoch, and its trace. */
export interface PairPosition {
  micros: string;
  traceId: string;
}

export interface PairFilter {
  scorerKey: string;
  since: Date;
  /** Null: every version. */
  version: number | null;
  /** Null: every cell. */
  cell: AgreementCell | null;
}

/** Randomly drawn traces, and the size of the population. */
export interface DrawnTraces {
  traceIds: string[];
  unlabelled: number;
}

/** Reads the traces behind the agreement table, and unlabelled ones. */
export interface PairReader {
  /** Last labelled first. */
  list(
    projectId: string,
    filter: PairFilter,
    page: { limit: number; after: PairPosition | null },
  ): Promise<LabelledTrace[]>;
  /** The unlabelled traces among the scorer's newest 100,000 ratings with a threshold, in random order. */
  draw(projectId: string, of: Omit<PairFilter, "cell">, count: number): Promise<DrawnTraces>;
}

const drawnFromMax = 100_000;

export function createPairReader(database: Database, ingest: Pick<IngestClient, "readHumanScores">): PairReader {
  return {
    async list(projectId, { scorerKey, since, version, cell }, { limit, after }) {
      const labels = await readHumanLabels(ingest, projectId, since);
      const { rows } = await database.readScoped<Row>([projectId], {
        name: "agreement_pairs",
        text: `${pairsSource}
          select trace_id, scorer_version, rating, threshold, justification, record_id, created_at, scorer_fails, person_fails, vote,
                 corrected_score, comment, labelled_at,
                 (extract(epoch from labelled_at) * 1000000)::bigint::text as micros
          from pairs
          where takes_side
            and ($8::integer is null or scorer_version = $8)
            and ($9::boolean is null or (scorer_fails = $9 and person_fails = $10))
            and ($11::bigint is null
                 or (labelled_at, trace_id) < (timestamptz 'epoch' + $11::bigint * interval '1 microsecond', $12::uuid))
          order by labelled_at desc, trace_id desc
          limit $13`,
        values: [
          projectId,
          since,
          scorerKey,
          labels.traceIds,
          labels.votes,
          labels.comments,
          labels.times,
          version,
          cell === null ? null : cell === "bothFail" || cell === "onlyScorerFails",
          cell === "bothFail" || cell === "onlyPersonFails",
          after?.micros ?? null,
          after?.traceId ?? null,
          limit,
        ],
      });
      return rows.map(readRow);
    },

    async draw(projectId, { scorerKey, since, version }, count) {
      const { traceIds } = await readHumanLabels(ingest, projectId, since);
      const { rows } = await database.readScoped<{ trace_id: string; unlabelled: number }>([projectId], {
        name: "agreement_sample",
        text: `
          with rated as (
            select trace_id
            from monitor.verdicts
            where project_id = $1
              and scorer_key = $2
              and threshold is not null
              and ($4::integer is null or scorer_version = $4)
            order by created_at desc
            limit ${drawnFromMax}
          )
          select trace_id, (count(*) over ())::integer as unlabelled
          from rated
          where not exists (
              select from unnest($6::uuid[]) as scored (trace_id) where scored.trace_id = rated.trace_id
            )
            and not exists (
              select from monitor.feedback
              where project_id = $1 and feedback.trace_id = rated.trace_id and created_at >= $3
            )
            and not exists (
              select
              from monitor.signals
              join monitor.signal_occurrences as occurrences
                on occurrences.project_id = $1 and occurrences.signal_id = signals.id
              join monitor.signal_feedback as said
                on said.project_id = $1 and said.signal_id = signals.id and said.occurrence_id = occurrences.id
              where signals.project_id = $1
                and signals.pattern_key = $2
                and occurrences.trace_id = rated.trace_id
                and said.corrected_score is not null
                and said.created_at >= $3
            )
          order by random()
          limit $5`,
        values: [projectId, scorerKey, since, version, count, traceIds],
      });
      return { traceIds: rows.map((row) => row.trace_id), unlabelled: rows[0]?.unlabelled ?? 0 };
    },
  };
}

function readRow(row: Row): LabelledTrace {
  return {
    traceId: row.trace_id,
    scorerVersion: row.scorer_version,
    rating: row.rating,
    threshold: row.threshold,
    justification: row.justification,
    verdictId: row.record_id,
    judgedAt: row.created_at,
    scorerFails: row.scorer_fails,
    personFails: row.person_fails,
    vote: row.vote,
    correctedScore: row.corrected_score,
    comment: row.comment,
    labelledAt: row.labelled_at,
    position: { micros: row.micros, traceId: row.trace_id },
  };
}

type Row = {
  trace_id: string;
  scorer_version: number | null;
  rating: number;
  threshold: number;
  justification: string | null;
  record_id: string | null;
  created_at: Date;
  scorer_fails: boolean;
  person_fails: boolean;
  vote: "up" | "down" | null;
  corrected_score: number | null;
  comment: string | null;
  labelled_at: Date;
  micros: string;
};

/**
 * The common table expressions up to `pairs`: verdicts of live scorers and people's labels on the same traces. Parameters: the
 * project, the earliest time of labels, the scorer's key or null for all, and the lists of
 * {@link HumanLabels}: their traces, votes, comments and times.
 *
 * A person's label on a trace is the newest vote on it, or the newest score of a person that says good or bad; on one scorer's
 * verdict it is the newest corrected score, if there is one: bad if below the threshold that the verdict had. A corrected score
 * belongs to a trace through the occurrence it was given for.
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
