import type { ScoreDataType, ScoreSource } from "@touchstone/contracts";

/** A score to store. */
export interface SentScore {
  id: string;
  name: string;
  value: number | string | boolean;
  dataType: ScoreDataType;
  comment: string | null;
  /** JSON text. */
  metadata: string | null;
  source: ScoreSource;
  /** When it was given; null = when it is first stored. */
  scoredAt: Date | null;
  traceId: string | null;
  spanId: string | null;
  sessionId: string | null;
  runId: string | null;
  caseId: string | null;
  runNumber: number | null;
  author: string | null;
  /** The user who is signed in. */
  authorId: string | null;
}

export interface StoredScore extends SentScore {
  scoredAt: Date;
  createdAt: Date;
  updatedAt: Date;
}

/** The place of a score in the list. */
export interface ScorePosition {
  scoredAt: Date;
  id: string;
}

/** A row of `ingest.scores`. */
export type ScoreRecord = {
  id: string;
  name: string;
  data_type: ScoreDataType;
  number: number | null;
  label: string | null;
  comment: string | null;
  metadata: string | null;
  source: ScoreSource;
  scored_at: Date;
  trace_id: string | null;
  span_id: string | null;
  session_id: string | null;
  run_id: string | null;
  case_id: string | null;
  run_number: number | null;
  author: string | null;
  author_id: string | null;
  created_at: Date;
  updated_at: Date;
};

/** The columns of {@link ScoreRecord}. */
export const columns = `
  id, name, data_type, number, label, comment, metadata, source, scored_at, trace_id, span_id, session_id, run_id, case_id,
  run_number, author, author_id, created_at, updated_at`;

export function toScore(row: ScoreRecord): StoredScore {
  return {
    id: row.id,
    name: row.name,
    value: row.data_type === "boolean" ? row.number === 1 : (row.label ?? row.number ?? 0),
    dataType: row.data_type,
    comment: row.comment,
    metadata: row.metadata,
    source: row.source,
    scoredAt: row.scored_at,
    traceId: row.trace_id,
    spanId: row.span_id,
    sessionId: row.session_id,
    runId: row.run_id,
    caseId: row.case_id,
    runNumber: row.run_number,
    author: row.author,
    authorId: row.author_id,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
