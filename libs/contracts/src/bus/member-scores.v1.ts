import { z } from "zod";
import { limits } from "../limits.ts";
import { defineRequest } from "./define.ts";
import { recordedToolCall, verdictMode } from "./judge.v1.ts";
import { payer } from "./judge-payer.ts";

/** A member of a scorer group that monitor knows and the judge does not (completions 4.4). */
const memberReference = z.object({ kind: z.enum(["pattern", "custom"]), refId: z.string() });

/** What such a member was when somebody asked. `definition` is monitor's own: others keep it and give it back. */
const knownMember = memberReference.extend({ name: z.string(), definition: z.json() });
export type KnownMember = z.infer<typeof knownMember>;

/**
 * Which patterns and custom scorers a project has of those that are named, and what they are at the moment: a run keeps
 * that, so that a later change changes no run. Those it has not are left out.
 */
export const readMembers = defineRequest({
  subject: "svc.monitor.read-members.v1",
  askedBy: ["eval-runs"],
  answeredBy: "monitor",
  body: z.object({ projectId: z.uuid(), members: z.array(memberReference).max(limits.groupMembersMax) }),
  reply: z.object({ members: z.array(knownMember) }),
});

/** What one member found. `goodness` is a normalised score, 0 to 1; null = it found nothing, and `because` says why. */
const memberFinding = z.object({ goodness: z.number().min(0).max(1).nullable(), because: z.string().nullable() });

/**
 * Scores one result by patterns and custom scorers (completions 4.4), each isolated from the others' failures. Nothing is
 * stored. `findings` has one entry for each member, in the order asked. The texts are the result's own; `traceId` is the
 * linked trace, whose spans scorers that are programs are shown. A semantic condition is a judge call; under the verdict
 * mode `replay` none is made, and its member finds nothing.
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
      /** Null: none is linked, or it is not there. */
      traceId: z.uuid().nullable(),
    }),
    verdictMode: verdictMode.default("live"),
  }),
  reply: z.object({ findings: z.array(memberFinding) }),
});
