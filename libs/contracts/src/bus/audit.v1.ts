import { z } from "zod";
import { defineEvent, type ServiceName } from "./define.ts";

/** The services in which something of a project can be administered, auth itself aside. */
export const actRecorders = ["ingest", "eval-runs", "monitor"] as const satisfies readonly ServiceName[];
export type ActRecorder = (typeof actRecorders)[number];

/** An administrative act, for auth's log (decision 34). */
export const recordedAct = z.object({
  /** Of the row it becomes: the same act is filed once, however often it is told. */
  id: z.uuid(),
  projectId: z.uuid(),
  /** The project's when it happened. A project that is there is asked itself. */
  organizationId: z.uuid().nullable(),
  actor: z.object({
    type: z.enum(["user", "key"]),
    /** The user, or the project of the key. */
    id: z.uuid(),
  }),
  /** Such as `webhook.deleted`. */
  action: z.string().regex(/^[a-z-]+\.[a-z-]+$/),
  /** What was acted on, where that is not the project as a whole. */
  targetId: z.string().nullable(),
  /** What changed. Never a secret, not even in part. */
  details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
  requestId: z.string(),
  /** ISO 8601; when it happened. */
  at: z.iso.datetime(),
});
export type RecordedAct = z.infer<typeof recordedAct>;

/** Committed with the act. One event for each service, so that none can speak for another: NATS lets each publish its own. */
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
