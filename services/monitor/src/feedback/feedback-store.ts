import { limits } from "@touchstone/contracts";
import type { Database, Queryable } from "@touchstone/db";
import { uuidv7 } from "@touchstone/service-kit";
import type { FindingStore } from "../model/finding.ts";
import type { Period } from "../model/read-page.ts";

/** A person's vote on a trace. */
export interface Vote {
  traceId: string;
  rating: "up" | "down";
  comment: string | null;
  endUserId: string | null;
  /** The user who voted while signed in; null = a client with the project's key. */
  authorId: string | null;
}

export interface StoredVote extends Vote {
  id: string;
  createdAt: Date;
}

/** A vote in the list of all traces. */
export interface ListedVote extends StoredVote {
  /** Null: it is no longer known. */
  traceName: string | null;
}

/** The trace that was voted on, as the signal of a negative vote shows it. */
export interface VotedTrace {
  name: string;
  agentId: string | null;
  /** The first 500 characters of the question and the answer. */
  query: string | null;
  responsePreview: string | null;
}

/** An outcome that a client reported. */
export interface Outcome {
  outcome: string;
  isNegative: boolean;
  traceId: string | null;
  evaluationRunResultId: string | null;
  reason: string | null;
  reportedBy: string | null;
}

export interface StoredOutcome extends Outcome {
  id: string;
  reportedAt: Date;
}

/** The requested votes, by when they were given, and their page; null always means all. */
export interface VoteQuery extends Period {
  rating: Vote["rating"] | null;
  limit: number;
  /** The id of the vote to continue after. */
  after: string | null;
}

/** Stores people's feedback on traces (completions 9.6). */
export interface FeedbackStore {
  /** Stores a vote with its outcome, and for a negative vote its finding and signal, in one transaction. */
  addVote(projectId: string, vote: Vote, trace: VotedTrace): Promise<StoredVote>;
  /** Newest first, at most 200. */
  listOfTrace(projectId: string, traceId: string): Promise<StoredVote[]>;
  /** Newest first, with the number of all that match. */
  list(projectId: string, query: VoteQuery): Promise<{ total: number; votes: ListedVote[] }>;
  addOutcome(projectId: string, outcome: Outcome): Promise<StoredOutcome>;
}

export function createFeedbackStore(database: Database, findings: FindingStore): FeedbackStore {
  return {
    async addVote(projectId, vote, trace) {
      return database.scoped([projectId], async (transaction) => {
        const stored = await insertVote(transaction, projectId, vote);
        await insertOutcome(transaction, projectId, outcomeOf(vote));
        if (vote.rating === "down") await recordVoteDown(transaction, findings, projectId, stored, trace);
        return stored;
      });
    },

    async listOfTrace(projectId, traceId) {
      const { rows } = await database.readScoped<VoteRow>([projectId], {
        name: "feedback_list_of_trace",
        text: `
          select ${voteColumns}
          from monitor.feedback
          where project_id = $1
            and trace_id = $2
          order by created_at desc, id desc
          limit $3`,
        values: [projectId, traceId, limits.feedbackListedMax],
      });
      return rows.map(readVote);
    },

    async list(projectId, { rating, from, to, limit, after }) {
      const { rows } = await database.readScoped<ListedRow>([projectId], {
        name: "feedback_list",
        text: `
          with matching as (
            select ${voteColumns}
            from monitor.feedback
            where project_id = $1
              and ($2::text is null or rating = $2)
              and created_at >= coalesce($3::timestamptz, '-infinity')
              and created_at < coalesce($4::timestamptz, 'infinity')
          )
          select page.*, seen_traces.name as trace_name, counts.total
          from (select count(*)::integer as total from matching) as counts
          left join lateral (
            select *
            from matching
            where $5::uuid is null
               or (created_at, id) < (select created_at, id from monitor.feedback where project_id = $1 and id = $5)
            order by created_at desc, id desc
            limit $6
          ) as page on true
          left join monitor.seen_traces
            on seen_traces.project_id = $1 and seen_traces.trace_id = page.trace_id
          order by page.created_at desc, page.id desc`,
        values: [projectId, rating, from, to, after, limit],
      });
      const votes = rows
        .filter(({ id }) => id !== null)
        .map((row) => ({ ...readVote(row), traceName: row.trace_name }));
      return { total: rows[0]?.total ?? 0, votes };
    },

    addOutcome: (projectId, outcome) =>
      database.scoped([projectId], (transaction) => insertOutcome(transaction, projectId, outcome)),
  };
}

function outcomeOf({ traceId, rating, comment, endUserId }: Vote): Outcome {
  return {
    outcome: `user_thumbs_${rating}`,
    isNegative: rating === "down",
    traceId,
    evaluationRunResultId: null,
    reason: comment,
    reportedBy: endUserId,
  };
}

async function recordVoteDown(
  transaction: Queryable,
  findings: FindingStore,
  projectId: string,
  { traceId, comment, createdAt }: StoredVote,
  { name, agentId, query, responsePreview }: VotedTrace,
): Promise<void> {
  const finding = {
    patternKey: "negative-feedback",
    kind: "feedback",
    polarity: "failure",
    severity: "medium",
    agentId,
    traceId,
    sessionId: null,
    rating: null,
    justification: comment,
    createdAt: createdAt.toISOString(),
  } as const;
  const summary = `A person voted down: ${name}`;
  const signal = { type: "negative_feedback", summary, rootCause: comment, query, responsePreview };
  await findings.record(transaction, projectId, finding, signal);
}

async function insertVote(transaction: Queryable, projectId: string, vote: Vote): Promise<StoredVote> {
  const id = uuidv7(Date.now());
  const { rows } = await transaction.query<{ created_at: Date }>({
    name: "feedback_add",
    text: `
      insert into monitor.feedback (project_id, id, trace_id, rating, comment, end_user_id, author_id, created_at)
      values ($1, $2, $3, $4, $5, $6, $7, now())
      returning created_at`,
    values: [projectId, id, vote.traceId, vote.rating, vote.comment, vote.endUserId, vote.authorId],
  });
  return { ...vote, id, createdAt: (rows[0] as { created_at: Date }).created_at };
}

async function insertOutcome(transaction: Queryable, projectId: string, outcome: Outcome): Promise<StoredOutcome> {
  const id = uuidv7(Date.now());
  const { rows } = await transaction.query<{ reported_at: Date }>({
    name: "outcome_add",
    text: `
      insert into monitor.outcomes
        (project_id, id, outcome, is_negative, trace_id, evaluation_run_result_id, reason, reported_by, reported_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, now())
      returning reported_at`,
    values: [
      projectId,
      id,
      outcome.outcome,
      outcome.isNegative,
      outcome.traceId,
      outcome.evaluationRunResultId,
      outcome.reason,
      outcome.reportedBy,
    ],
  });
  return { ...outcome, id, reportedAt: (rows[0] as { reported_at: Date }).reported_at };
}

const voteColumns = "id, trace_id, rating, comment, end_user_id, author_id, created_at";

const readVote = (row: VoteRow): StoredVote => ({
  id: row.id,
  traceId: row.trace_id,
  rating: row.rating,
  comment: row.comment,
  endUserId: row.end_user_id,
  authorId: row.author_id,
  createdAt: row.created_at,
});

type VoteRow = {
  id: string;
  trace_id: string;
  rating: Vote["rating"];
  comment: string | null;
  end_user_id: string | null;
  author_id: string | null;
  created_at: Date;
};
type ListedRow = VoteRow & { trace_name: string | null; total: number };
