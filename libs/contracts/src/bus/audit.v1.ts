import { z } from "zod";
import { defineEvent, type ServiceName } from "./define.ts";

/** The services other than auth in which something of a project can be administered. */
export const actRecorders = ["ingest", "eval-runs", "monitor"] as const satisfies readonly ServiceName[];
export type ActRecorder = (typeof actRecorders)[number];

/** An administrative act, for auth's log (decision 34). */
export const recordedAct = z.object({
  /** The id of the resulting row: a repeated act is stored once. */
  id: z.uuid(),
  projectId: z.uuid(),
  /** The project's organization at that time. For an existing project auth looks it up. */
  organizationId: z.uuid().nullable(),
  actor: z.object({
    type: z.enum(["user", "key"]),
    /** The user, or the project of the key. */
    id: z.uuid(),
  }),
  /** Such as `webhook.deleted`. */
  action: z.string().regex(/^[a-z-]+\.[a-z-]+$/),
  /** The object of the act, unless it is the project as a whole. */
  targetId: z.string().nullable(),
  /** What changed. Never a secret, not even in part. */
  details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
  requestId: z.string(),
  /** ISO 8601; the time of the act. */
  at: z.iso.datetime(),
});
export type RecordedAct = z.infer<typeof recordedAct>;

/**
 * Committed with the act. One event for each service, so that no service can impersonate another: NATS lets each
 * publish its own.
 */
const actRecordedBy = (service: ActRecorder) =>
  defineEvent({
    subject: `event.act.recorded-by-${service}.v1`,
    publishedBy: service,
    consumedBy: ["auth"],
    durables: [`auth-acts-of-${service}`],
    body: recordedAct,
  });

export const ingestActRecorded = actRecordedBy("ingest");
export const evalRunsActRecorded = actRecordedBy("eval-runs");
export const monitorActRecorded = actRecordedBy("monitor");
