import type { Database } from "@touchstone/db";

/** One result of a custom scorer for a trace. */
export interface EvaluatorEvent {
  id: string;
  traceId: string | null;
  sessionId: string | null;
  flagged: boolean;
  rating: number | null;
  justification: string | null;
  /** ISO 8601; the trace's own time. */
  createdAt: string;
}

/** Reads the results of custom scorers. */
export interface EvaluatorEventReader {
  /** Flagged ones first, then the lowest rating, then the newest. */
  listWorst(projectId: string, evaluatorId: string, of: { since: Date; limit: number }): Promise<EvaluatorEvent[]>;
}

type EventRow = {
  id: string;
  trace_id: string | null;
  session_id: string | null;
  polarity: string;
  rating: number | null;
  justification: string | null;
  created_at: Date;
};

export function createEvaluatorEventReader(database: Database): EvaluatorEventReader {
  return {
    async listWorst(projectId, evaluatorId, { since, limit }) {
      const { rows } = await database.readScoped<EventRow>([projectId], {
        name: "custom_evaluator_events",
        text: `
          select id, trace_id, session_id, polarity, rating, justification, created_at
          from monitor.events
          where project_id = $1
            and pattern_key = $2
            and created_at >= $3
          order by polarity, rating nulls last, created_at desc
          limit $4`,
        values: [projectId, `custom-scorer:${evaluatorId}`, since, limit],
      });
      return rows.map((row) => ({
        id: row.id,
        traceId: row.trace_id,
        sessionId: row.session_id,
        flagged: row.polarity === "failure",
        rating: row.rating,
        justification: row.justification,
        createdAt: row.created_at.toISOString(),
      }));
    },
  };
}
