import { z } from "zod";
import { dashboardWindow } from "../dashboard-window.ts";
import { limits } from "../limits.ts";
import { listEnd } from "./list-page.ts";
import { severity } from "./patterns.ts";

const kind = z.enum(["external", "code"]);

const settings = {
  sampleRate: z.number().min(0).max(1),
  scopeMode: z.enum(["all", "selected"]),
  agentIds: z.array(z.string()).max(limits.onlineAgentsMax),
  enabled: z.boolean(),
  invertMatch: z.boolean().describe("An external scorer's `matches` means the opposite: it finds what is good"),
  severity,
  alertBelow: z.number().min(0).max(1).describe("A script's score below it alerts"),
};

/** Body of `PUT /agent-monitoring/custom-evaluators/{customEvaluatorId}`: only what is sent changes. */
export const changedCustomEvaluator = z
  .object({
    name: z.string().min(1).max(limits.graderNameMaxChars),
    kind,
    url: z.string().max(limits.customEvaluatorUrlMaxChars),
    language: z.literal("javascript"),
    script: z.string().max(limits.customEvaluatorScriptMaxChars),
    ...settings,
  })
  .partial();

/** Body of `POST /agent-monitoring/custom-evaluators` (completions 4.5); `kind` is `external` by default. */
export const submittedCustomEvaluator = changedCustomEvaluator.extend({
  name: changedCustomEvaluator.shape.name.unwrap(),
});

/** A custom scorer: `url` where it is external, `language` and `script` where it is code. */
const customEvaluator = z.object({
  _id: z.string(),
  name: z.string(),
  kind,
  url: z.string().optional(),
  language: z.literal("javascript").optional(),
  script: z.string().optional(),
  ...settings,
  createdAt: z.string(),
  updatedAt: z.string(),
});

export const customEvaluatorParams = z.object({ customEvaluatorId: z.string() });
export const customEvaluatorReply = z.object({ evaluator: customEvaluator });
export const customEvaluatorList = z.object({ evaluators: z.array(customEvaluator), ...listEnd });

/** Body of the dry run: a custom scorer, stored or not, and the trace to try it on; without one a made-up trace. */
export const customEvaluatorTrial = submittedCustomEvaluator.partial().extend({ traceId: z.string().nullish() });

/** The result. `response` is the scorer's parsed answer. */
export const customEvaluatorTrialReply = z.object({
  ok: z.boolean(),
  latencyMs: z.number(),
  response: z
    .object({
      matches: z.boolean().optional(),
      score: z.number().nullable().optional(),
      reason: z.string().optional(),
      name: z.string().optional(),
      metadata: z.json().optional(),
    })
    .optional(),
  error: z.string().optional(),
});

/** Its results on traces: flagged ones first, of these the lowest score, then the newest; at most 20. */
export const customEvaluatorEvents = z.object({
  window: dashboardWindow,
  events: z.array(
    z.object({
      id: z.string(),
      traceId: z.string().nullable(),
      sessionId: z.string().nullable(),
      flagged: z.boolean(),
      rating: z.number().nullable().describe("Ten times the score; null if there is none"),
      justification: z.string().nullable(),
      createdAt: z.string(),
      input: z.string().nullable().describe("Its first 500 characters; null when the trace is gone"),
      output: z.string().nullable().describe("Its first 500 characters; null when the trace is gone"),
    }),
  ),
});

const tally = z.array(z.object({ label: z.string(), count: z.int() }));

/** The topics of a window's traces (completions 9.5), the most frequent first; at most 100 intents. */
export const topicCounts = z.object({
  window: dashboardWindow,
  total: z.int(),
  intents: tally,
  sentiments: tally,
  issueTypes: tally,
});
