import type { Database } from "@touchstone/db";
import { uuidv7 } from "@touchstone/service-kit";
import type { Severity } from "../model/finding.ts";
import { createSignalReader, type SignalReader } from "./signal-reader.ts";
import type { SignalStatus } from "./signal-row-reader.ts";

/** The changes of a triage; an absent member stays, null removes one. */
export interface SignalChange {
  status?: SignalStatus;
  severity?: Severity;
  reviewStatus?: string | null;
  recommendedActions?: unknown;
}

export interface SignalFeedback {
  id: string;
  signalId: string;
  occurrenceId: string | null;
  metric: string;
  rationale: string;
  originalScore: number | null;
  correctedScore: number | null;
  queuedForAutotune: boolean;
  createdAt: Date;
}

/** The signals of projects, and people's triage of them. */
export interface SignalStore extends SignalReader {
  /** False when there is no such signal. */
  change(projectId: string, id: string, change: SignalChange): Promise<boolean>;
  /** Null when there is no such signal. */
  addFeedback(projectId: string, feedback: Omit<SignalFeedback, "id" | "createdAt">): Promise<SignalFeedback | null>;
}

export function createSignalStore(database: Database): SignalStore {
  return {
    ...createSignalReader(database),

    async change(projectId, id, { status, severity, reviewStatus, recommendedActions }) {
      const { rowCount } = await database.scoped([projectId], (transaction) =>
        transaction.query({
          name: "signal_change",
          text: `
            update monitor.signals
            set status = coalesce($3, status),
                severity = coalesce($4, severity),
                severity_by_person = severity_by_person or $4 is not null,
                review_status = case when $5 then $6 else review_status end,
                recommended_actions = case when $7 then $8::json else recommended_actions end,
                updated_at = now()
            where project_id = $1
              and id = $2`,
          values: [
            projectId,
            id,
            status ?? null,
            severity ?? null,
            reviewStatus !== undefined,
            reviewStatus ?? null,
            recommendedActions !== undefined,
            recommendedActions === undefined || recommendedActions === null ? null : JSON.stringify(recommendedActions),
          ],
        }),
      );
      return rowCount === 1;
    },

    async addFeedback(projectId, feedback) {
      const { rows } = await database.scoped([projectId], (transaction) =>
        transaction.query<{ created_at: Date; id: string }>({
          name: "signal_feedback_add",
          text: `
            insert into monitor.signal_feedback
              (project_id, id, signal_id, occurrence_id, metric, rationale, original_score, corrected_score,
               queued_for_autotune, created_at)
            select $1, $2, signals.id, $4, $5, $6, $7, $8, $9, now()
            from monitor.signals
            where signals.project_id = $1
              and signals.id = $3
            returning id, created_at`,
          values: [
            projectId,
            uuidv7(Date.now()),
            feedback.signalId,
            feedback.occurrenceId,
            feedback.metric,
            feedback.rationale,
            feedback.originalScore,
            feedback.correctedScore,
            feedback.queuedForAutotune,
          ],
        }),
      );
      const [row] = rows;
      return row === undefined ? null : { ...feedback, id: row.id, createdAt: row.created_at };
    },
  };
}
