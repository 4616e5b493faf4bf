import { z } from "zod";
import { judgeScores, traceTopic } from "../http/traces.ts";
import { defineEvent, defineRequest } from "./define.ts";
import { storedTrace } from "./events.v1.ts";
import { judgeRubric } from "./judge.v1.ts";

/**
 * A root trace that has ended and was not extended for a while (decision 30): the input of live checks. It carries the
 * facts that every check needs, so that a trace that no check selects is never read again.
 */
export const settledTrace = storedTrace.extend({
  sessionId: z.string().nullable(),
  framework: z.string().nullable(),
  model: z.string().nullable(),
  latencyMs: z.number().nullable(),
  hasError: z.boolean(),
  /** No output, or only white space. */
  isOutputEmpty: z.boolean(),
  /** Names of the failed tools, each once, at most 50. */
  failedTools: z.array(z.string()).max(50),
  toolCalls: z.number().int().nonnegative(),
  /** The root's ids in OpenTelemetry: 32 and 16 lowercase hexadecimal characters. Absent: it did not come over OTLP. */
  otelTraceId: z.string().optional(),
  otelSpanId: z.string().optional(),
  /**
   * The model's response that the root represents, by its provider's name. Absent: it represents none, or did not come
   * over OTLP.
   */
  responseId: z.string().optional(),
  /**
   * When this state was due to be announced, by ingest's database. Of two events about one trace the later one counts,
   * whatever their order of arrival. Absent: the trace settles once, or a version of ingest without this field wrote it.
   */
  stateAt: z.iso.datetime().optional(),
});
export type SettledTrace = z.infer<typeof settledTrace>;

/** Traces that settled. Delivered at least once; a trace that grows afterwards settles again, and is checked once. */
export const tracesSettled = defineEvent({
  subject: "event.trace.settled.v1",
  publishedBy: "ingest",
  consumedBy: ["monitor"],
  durables: ["monitor-trace-settled"],
  gathers: "traces",
  body: z.object({ traces: z.array(settledTrace).min(1) }),
});

/**
 * Child spans that settled, sent only where an installation wants them checked too (completions 1.7). Each is described
 * like a root, under its own id; `agentId` is that of its root where it is known. Delivered at least once; those of an
 * OTel trace come again whenever it settles, and are checked once.
 */
export const spansSettled = defineEvent({
  subject: "event.span.settled.v1",
  publishedBy: "ingest",
  consumedBy: ["monitor"],
  durables: ["monitor-span-settled"],
  gathers: "spans",
  body: z.object({ spans: z.array(settledTrace).min(1) }),
});

/**
 * All live judging results of traces, each time complete. `revision` grows with every change of one trace: a reader
 * keeps the greatest it saw, so order and repetition do not matter.
 */
export const tracesJudged = defineEvent({
  subject: "event.trace.judged.v1",
  publishedBy: "monitor",
  consumedBy: ["ingest"],
  durables: ["ingest-trace-judged"],
  body: z.object({
    traces: z
      .array(
        z.object({
          projectId: z.uuid(),
          traceId: z.uuid(),
          revision: z.number().int().positive(),
          judgeScores: judgeScores.nullable(),
          topic: traceTopic.nullable(),
          /**
           * How the trace itself fails: `agent-tool-failure:<tool>`, `agent-trace-error` or `empty-agent-response`;
           * null: it does not, or is not watched. Absent: from a version of monitor without this field.
           */
          failure: z.string().nullish(),
        }),
      )
      .min(1),
  }),
});

/**
 * The latest scores of live judges and groups on sessions, each time complete (completions 2.7). `revision` grows with
 * every score of one session: a reader keeps the greatest it saw, so order and repetition do not matter.
 */
export const sessionsJudged = defineEvent({
  subject: "event.session.judged.v1",
  publishedBy: "monitor",
  consumedBy: ["ingest"],
  durables: ["ingest-session-judged"],
  body: z.object({
    sessions: z
      .array(
        z.object({
          projectId: z.uuid(),
          sessionId: z.string(),
          revision: z.number().int().positive(),
          /** The headline, as of a trace (completions 2.3). */
          rating: z.number(),
          scorerName: z.string(),
          checkedAt: z.iso.datetime(),
          judges: z.array(z.object({ name: z.string(), rating: z.number() })).min(1),
        }),
      )
      .min(1),
  }),
});

/** How a judge or a group judges live traffic. */
const liveProfile = z.object({
  enabled: z.boolean(),
  sampleRate: z.number().min(0).max(1),
  /** A rating below it alerts; null = never. */
  alertThreshold: z.number().min(0).max(10).nullable(),
  severity: z.enum(["low", "medium", "high", "critical"]),
  scope: z.enum(["trace", "session"]),
  idleSeconds: z.number().int().positive(),
});

/** A judge scorer with a live profile, complete: `version` is that of its rubric. */
export const liveJudge = liveProfile.extend({
  profileId: z.string(),
  scorerId: z.string(),
  name: z.string(),
  version: z.number().int().positive(),
  rubric: judgeRubric,
  scopeMode: z.enum(["all", "selected"]),
  agentIds: z.array(z.string()),
});
export type LiveJudge = z.infer<typeof liveJudge>;

/** A scorer group with a live profile and the rubrics of its judges (completions 4.4). */
export const liveGroup = liveProfile.extend({
  groupId: z.string(),
  name: z.string(),
  members: z.array(
    z.object({
      kind: z.enum(["judge", "pattern", "custom"]),
      refId: z.string(),
      weight: z.number().nonnegative(),
      gate: z.boolean(),
    }),
  ),
  rubrics: z.array(judgeRubric),
});
export type LiveGroup = z.infer<typeof liveGroup>;

/** All live judges of a project. `revision` grows with every change. */
const liveScorers = z.object({
  projectId: z.uuid(),
  revision: z.number().int().positive(),
  /**
   * A time before the change was committed. Everything acknowledged after the change is newer. Absent from
   * releases without this field, until their outbox is empty.
   */
  changedAt: z.iso.datetime().optional(),
  judges: z.array(liveJudge),
  groups: z.array(liveGroup),
});
export type LiveScorers = z.infer<typeof liveScorers>;

/** Reports every change, eventually: traffic that reached monitor meanwhile is judged then. */
export const liveScorersChanged = defineEvent({
  subject: "event.live-scorers.changed.v1",
  publishedBy: "eval-runs",
  consumedBy: ["monitor"],
  durables: ["monitor-live-scorers-changed"],
  body: liveScorers,
});

/** The same, sent before the change is acknowledged (decision 42). With the reply it is in force in monitor. */
export const keepLiveScorers = defineRequest({
  subject: "svc.monitor.keep-live-scorers.v1",
  askedBy: ["eval-runs"],
  answeredBy: "monitor",
  body: liveScorers,
  reply: z.object({}),
});

/** A grade from another system on a span, sent as telemetry: the log record `gen_ai.evaluation.result` (otlp 7). */
export const receivedEvaluation = z.object({
  projectId: z.uuid(),
  /** The root that its span belongs to. */
  traceId: z.uuid(),
  /** 32 lowercase hexadecimal characters, the trace of the graded span. */
  otelTraceId: z.string(),
  /** 16 of them. For a record that names only a response: the first span with that response. */
  otelSpanId: z.string(),
  name: z.string(),
  /** Any finite number: its scale is the grader's. */
  score: z.number().nullable(),
  label: z.string().nullable(),
  explanation: z.string().nullable(),
  /** ISO 8601; the time of the grade, else the time of receipt. */
  at: z.iso.datetime(),
});
export type ReceivedEvaluation = z.infer<typeof receivedEvaluation>;

/**
 * All received evaluations of traces, sent whenever such a trace settles: one that arrived before its trace waits for
 * it, and an old one is sent again. Of two with one name and one span the later is in force.
 */
export const evaluationsReceived = defineEvent({
  subject: "event.evaluation.received.v1",
  publishedBy: "ingest",
  consumedBy: ["monitor"],
  durables: ["monitor-evaluation-received"],
  body: z.object({ evaluations: z.array(receivedEvaluation).min(1) }),
});
