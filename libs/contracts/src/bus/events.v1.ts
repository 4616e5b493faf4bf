import { z } from "zod";
import { defineEvent } from "./define.ts";

/** One new root trace, as `event.traces.stored.v1` announces it. */
export const storedTrace = z.object({
  projectId: z.uuid(),
  traceId: z.uuid(),
  agentId: z.uuid().nullable(),
  name: z.string(),
  /** ISO 8601; the traffic's own time. */
  createdAt: z.iso.datetime(),
  /** `eval-run` for traces produced inside an offline evaluation, else null. */
  trafficSource: z.string().nullable(),
  /** The submitter's choice for live monitoring: true = check now, false = never, null = the default sweep. */
  monitor: z.boolean().nullable(),
  /** Only these custom patterns; null = all. Meaningful only with `monitor: true`. */
  patternIds: z.array(z.string()).nullable(),
});
export type StoredTrace = z.infer<typeof storedTrace>;

/** New root traces, in commit order. Delivered at least once: consumers dedupe by trace id. */
export const tracesStored = defineEvent({
  subject: "event.traces.stored.v1",
  publishedBy: "ingest",
  consumedBy: ["monitor"],
  durables: ["monitor-traces-stored"],
  gathers: "traces",
  body: z.object({ traces: z.array(storedTrace).min(1) }),
});

/**
 * The access of users' sessions has changed: a user joined or left an organization or got another role there, the
 * organization was deleted, or the user's sessions ended, as after a changed password. Gateways drop these users'
 * sessions from their caches at once; one that misses the event drops them within 5 s.
 */
export const membershipChanged = defineEvent({
  subject: "event.membership.changed.v1",
  publishedBy: "auth",
  consumedBy: ["gateway"],
  body: z.object({ userIds: z.array(z.uuid()) }),
});

/**
 * A project's key stopped working. Gateways drop every key of the project from their caches at once; one that misses
 * the event drops the key within 5 s. It never carries the key.
 */
export const keyRevoked = defineEvent({
  subject: "event.key.revoked.v1",
  publishedBy: "auth",
  consumedBy: ["gateway"],
  body: z.object({ projectId: z.uuid() }),
});
