import type { OtelName } from "../../model/otel-name.ts";

/** A verdict as it is exported. */
export interface ExportedVerdict {
  projectId: string;
  verdictId: string;
  /** The judged root; null for a session. */
  traceId: string | null;
  /** The OpenTelemetry ids of the judged span; null for a session, and for a trace that did not arrive over OTLP. */
  otel: OtelName | null;
  /** The judged session; null for a trace. */
  sessionId: string | null;
  agentId: string | null;
  /** The evaluation run of the result; null for live traffic. */
  runId: string | null;
  scorerKind: "judge" | "group" | "custom";
  scorerId: string;
  scorerName: string;
  /** The version of its rubric; null if it has no versions. */
  scorerVersion: number | null;
  /** 0 to 10. */
  rating: number;
  threshold: number | null;
  /** Null: it has no threshold. */
  failing: boolean | null;
  justification: string | null;
  /** The judge model; null: none or several. */
  model: string | null;
  /** ISO 8601. */
  givenAt: string;
}
