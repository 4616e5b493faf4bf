import type { JudgedTrace, RecordedTurn, SettledTrace, scoreResult } from "@touchstone/contracts";
import { type AppError, isAppError } from "@touchstone/service-kit";
import type { z } from "zod";
import type { CheckOutcome, DueCheck } from "../checks/check.ts";
import { type OtelName, otelNameOf } from "../model/otel-name.ts";
import { caseOfSession, caseOfTrace } from "./compose-case.ts";

/** The subject of a judging check, stored when the check is planned. */
export type JudgingPlan =
  | {
      scope: "trace";
      agentId: string | null;
      sessionId: string | null;
      createdAt: string;
      /** Absent: it did not arrive over OTLP. */
      otel?: OtelName;
    }
  | { scope: "session"; agentId: string | null; createdAt: string; spanCount: number };

/** A trace or a session that was read for judging. */
export interface JudgedSubject {
  case: z.input<typeof scoreResult.body>["case"];
  /** Null for a session. */
  trace: JudgedTrace | null;
  /** The question and the answer, for people. */
  query: string | null;
  response: string | null;
}

/** The requests of judging to ingest. */
export interface TrafficReader {
  readTrace(projectId: string, traceId: string): Promise<JudgedTrace | null>;
  readTurns(projectId: string, sessionId: string): Promise<RecordedTurn[]>;
}

/** The members of a trace that a plan needs. */
export type RecordedTrace = Pick<
  SettledTrace,
  "agentId" | "sessionId" | "createdAt" | "otelTraceId" | "otelSpanId" | "responseId"
>;

export function planOf(trace: RecordedTrace): JudgingPlan {
  const { agentId, sessionId, createdAt } = trace;
  const otel = otelNameOf(trace);
  return { scope: "trace", agentId, sessionId, createdAt, ...(otel !== null && { otel }) };
}

/** Reads the subject of a check; returns the check's outcome if it is missing. */
export async function readSubject(
  ingest: TrafficReader,
  { projectId, subjectId, plan }: DueCheck,
): Promise<{ subject: JudgedSubject } | Exclude<CheckOutcome, { outcome: "done" }>> {
  const { scope } = plan as JudgingPlan;
  try {
    if (scope === "session") {
      const turns = await ingest.readTurns(projectId, subjectId);
      const [last] = turns.slice(-1);
      if (last === undefined) return { outcome: "skipped", reason: "The session has no turn to judge." };
      const { query, actualOutput: response } = last;
      return { subject: { case: caseOfSession(turns), trace: null, query, response } };
    }
    const trace = await ingest.readTrace(projectId, subjectId);
    if (trace === null) return { outcome: "skipped", reason: "The trace no longer exists." };
    return { subject: { case: caseOfTrace(trace), trace, query: trace.input, response: trace.output } };
  } catch (thrown) {
    if (isIngestUnavailable(thrown)) return { outcome: "postponed", reason: "Ingest is unavailable." };
    throw thrown;
  }
}

/**
 * Only if ingest does not answer, or reports an outage of its store: a trace that it cannot read is retried like any other
 * failure.
 */
export const isIngestUnavailable = (thrown: unknown): thrown is AppError =>
  isAppError(thrown) &&
  thrown.code === "service_unavailable" &&
  (thrown.isOutage || !/could not answer/.test(thrown.message));
