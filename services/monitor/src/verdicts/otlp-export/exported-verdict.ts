import type { OtelName } from "../../model/otel-name.ts";

/** A verdict as it is told to others. */
export interface ExportedVerdict {
  projectId: string;
  verdictId: string;
  /** The judged root; null of a session. */
  traceId: string | null;
  /** What the judged span is called elsewhere; null of a session, and of a trace that did not come over OTLP. */
  otel: OtelName | null;
  /** The judged session; null of a trace. */
  sessionId: string | null;
  agentId: string | null;
  /** The evaluation run that it is a result of; null where live traffic was judged. */
  runId: string | null;
  scorerKind: "judge" | "group" | "custom";
  scorerId: string;
  scorerName: string;
  /** Of its rubric; null where there are no versions. */
  scorerVersion: number | null;
  /** 0 to 10. */
  rating: number;
  threshold: number | null;
  /** Null: nothing says what would be too low. */
  failing: boolean | null;
  justification: string | null;
  /** The model that judged; null: none did, or several. */
  model: string | null;
  /** ISO 8601. */
  givenAt: string;
}
