import { z } from "zod";
import { limits } from "../limits.ts";
import { agentReply } from "./agents.ts";
import { listEnd } from "./list-page.ts";
import { monitoringDefaults } from "./project-settings.ts";
import { storable } from "./texts.ts";

const rate = z.number().min(0).max(1);
const days = z.int().max(36_500);
const object = z.record(z.string(), z.json());
const shortText = z.string().max(2_000).check(storable);
/** Merged with the stored one, which must not be larger, either. */
const sentObject = z
  .record(z.string(), z.unknown())
  .refine((sent) => JSON.stringify(sent).length <= limits.profileObjectMaxChars);

/** How an agent is watched (completions 9.2), with the project's defaults in it. */
export const monitorProfile = z.object({
  _id: z.string(),
  agentId: z.string(),
  workspaceId: z.string(),
  enabled: z.boolean(),
  failureDetectionEnabled: z.boolean(),
  infoDetectionEnabled: z.boolean(),
  topicsEnabled: z.boolean().describe("The project's setting"),
  coverageMode: z.enum(["all", "sampled"]).describe("The project's setting"),
  sampleRate: z.number(),
  retentionDays: z.number().int().describe("The project's setting; 0 or less: traces are kept without limit"),
  thresholdOverrides: object,
  approvalPolicy: object,
  channels: z.array(z.string()),
  billingMode: z.string(),
  pausedForCredits: z.boolean(),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type MonitorProfile = z.infer<typeof monitorProfile>;

/**
 * Body of `PUT /monitor/profiles/{agentId}`: only the members that are sent change; members that the project decides
 * are accepted and not stored.
 */
export const changedProfile = z.object({
  enabled: z.boolean().optional(),
  failureDetectionEnabled: z.boolean().optional(),
  infoDetectionEnabled: z.boolean().optional(),
  topicsEnabled: z.boolean().optional(),
  pausedForCredits: z.boolean().optional(),
  sampleRate: rate.optional(),
  coverageMode: z.enum(["all", "sampled"]).optional(),
  retentionDays: z.number().optional(),
  billingMode: shortText.optional(),
  channels: z.array(shortText).max(limits.profileChannelsMax).optional(),
  thresholdOverrides: sentObject.optional(),
  approvalPolicy: sentObject.optional(),
});
const objectSentence = (member: string) => ({
  custom: `${member} must have at most ${limits.profileObjectMaxChars} characters of JSON`,
  otherwise: `${member} must be an object`,
});
export const profileSentences = {
  enabled: "enabled must be a boolean",
  failureDetectionEnabled: "failureDetectionEnabled must be a boolean",
  infoDetectionEnabled: "infoDetectionEnabled must be a boolean",
  topicsEnabled: "topicsEnabled must be a boolean",
  pausedForCredits: "pausedForCredits must be a boolean",
  sampleRate: "sampleRate must be a number between 0 and 1",
  coverageMode: "coverageMode must be one of: all, sampled",
  retentionDays: "retentionDays must be a number",
  billingMode: "billingMode must be a string",
  channels: {
    too_big: `channels must have at most ${limits.profileChannelsMax} entries`,
    otherwise: "channels must be an array of strings",
  },
  thresholdOverrides: objectSentence("thresholdOverrides"),
  approvalPolicy: objectSentence("approvalPolicy"),
} as const;

export const profileReply = z.object({ profile: monitorProfile.nullable() });

/** Body of `PUT /agent-monitoring/settings/monitoring-defaults`: only what is sent changes. */
export const changedMonitoringDefaults = z.object({
  coverageMode: z.enum(["all", "sampled"]).optional(),
  sampleRate: rate.optional(),
  retentionDays: days.optional(),
  latencyThresholdMs: z.number().positive().optional(),
  topicsEnabled: z.boolean().optional(),
  topicsSampleRate: rate.optional(),
  coherenceSweepEnabled: z.boolean().optional(),
  enabledBuiltinPatterns: z.array(z.string()).max(100).optional(),
});
export const monitoringDefaultsSentences = {
  coverageMode: "coverageMode must be one of: all, sampled",
  sampleRate: "sampleRate must be a number between 0 and 1",
  retentionDays: "retentionDays must be a whole number of days",
  latencyThresholdMs: "latencyThresholdMs must be a number of milliseconds above 0",
  topicsEnabled: "topicsEnabled must be a boolean",
  topicsSampleRate: "topicsSampleRate must be a number between 0 and 1",
  coherenceSweepEnabled: "coherenceSweepEnabled must be a boolean",
  enabledBuiltinPatterns: "enabledBuiltinPatterns must be an array of keys of built-in patterns",
} as const;
export const monitoringDefaultsReply = z.object({ monitoringDefaults });

/** Query of the lists of agents. */
export const agentListQuery = z.object({
  limit: z.string().optional().describe(`1 to ${limits.agentsListedMax}, the default`),
  cursor: z.string().optional().describe("The agent to continue after; take it from nextCursor"),
});

/** `GET /agents` (completions 9.1). */
export const agentList = z.object({
  ...listEnd,
  agents: z.array(
    agentReply.shape.agent.extend({
      kind: z.literal("agent"),
      agentType: z.literal("external"),
      monitoringAgentId: z.string(),
      monitoringProfile: monitorProfile.nullable(),
    }),
  ),
});

/** `GET` and `PUT /ingest/tracked-agents` (completions 9.1). */
export const trackedAgentList = z.object({
  ...listEnd,
  agents: z.array(
    z.object({
      _id: z.string(),
      name: z.string(),
      tracked: z.boolean(),
      traceCount: z.number().int().describe("Root traces that are stored now"),
      lastSeenAt: z.string().nullable().describe("Time of the newest of them"),
    }),
  ),
});
export const changedTracking = z.object({ agentId: z.string().min(1), tracked: z.boolean() });
export const changedTrackingSentences = {
  agentId: "agentId is required",
  tracked: "tracked must be a boolean",
} as const;

/**
 * Body of the internal `findAgents`: the agents of these ids, or a page of all of them, after one of them; with their traces counted
 * where that is asked.
 */
export const agentsQuery = z.object({
  projectId: z.uuid(),
  ids: z.array(z.uuid()).nullable(),
  withTraffic: z.boolean(),
  after: z.uuid().nullish(),
  limit: z.int().min(1).max(limits.agentsListedMax).optional(),
});

const foundAgent = z.object({ id: z.uuid(), name: z.string(), createdAt: z.string() });
export type FoundAgent = z.infer<typeof foundAgent>;

/** Its reply, by name; `traceCount` and `lastSeenAt` are null where they were not asked for, or there is no trace. */
export const agentsFound = z.object({
  ...listEnd,
  agents: z.array(foundAgent.extend({ traceCount: z.number().int().nullable(), lastSeenAt: z.string().nullable() })),
});

/** Body of the internal `resolveAgent`: by id, else the oldest of the name; registered where there is none and `register`. */
export const agentQuery = z.object({ projectId: z.uuid(), idOrName: z.string(), register: z.boolean() });
export const agentFound = z.object({ agent: foundAgent.nullable() });
