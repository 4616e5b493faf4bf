import { z } from "zod";
import { limits } from "../limits.ts";
import { defineRequest } from "./define.ts";
import { recordedToolCall, verdictMode } from "./judge.v1.ts";
import { payer } from "./judge-payer.ts";

/** A member of a scorer group that monitor knows and the judge does not (completions 4.4). */
const memberReference = z.object({ kind: z.enum(["pattern", "custom"]), refId: z.string() });

/**
 * The state of such a member at the time of the request. `definition` is internal to monitor: callers store it and
 * return it unchanged.
 */
const knownMember = memberReference.extend({ name: z.string(), definition: z.json() });
export type KnownMember = z.infer<typeof knownMember>;

/**
 * Looks up the named patterns and custom scorers of a project with their current definitions: a run keeps them, so that
 * a later change does not affect it. Missing ones are left out. More than `groupScorersMaxBytes` of definitions are
 * `bad_request`.
 */
export const readMembers = defineRequest({
  subject: "svc.monitor.read-members.v1",
  askedBy: ["eval-runs"],
  answeredBy: "monitor",
  body: z.object({ projectId: z.uuid(), members: z.array(memberReference).max(limits.groupMembersMax) }),
  reply: z.object({ members: z.array(knownMember) }),
});

/**
 * The finding of one member. `goodness` is a normalised score, 0 to 1; null = no finding, and `because` is the reason.
 */
const memberFinding = z.object({ goodness: z.number().min(0).max(1).nullable(), because: z.string().nullable() });

/**
 * Scores one result by patterns and custom scorers (completions 4.4), each isolated from the others' failures. Nothing
 * is stored. `findings` has one entry for each member, in the requested order. The texts are the result's own;
 * `traceId` is the linked trace, whose spans programs receive. A semantic condition is a judge call; under the verdict
 * mode `replay` none is made, and its member has no finding.
 */
export const scoreMembers = defineRequest({
  subject: "svc.monitor.score-members.v1",
  askedBy: ["eval-runs"],
  answeredBy: "monitor",
  body: z.object({
    ...payer,
    members: z.array(knownMember).max(limits.groupMembersMax),
    case: z.object({
      input: z.string(),
      output: z.string(),
      expected: z.string().nullable(),
      /** Of the linked trace, like its tool calls. */
      error: z.string().nullable(),
      toolCalls: z.array(recordedToolCall),
      /** Null: none is linked, or it does not exist. */
      traceId: z.uuid().nullable(),
    }),
    verdictMode: verdictMode.default("live"),
  }),
  reply: z.object({ findings: z.array(memberFinding) }),
});
