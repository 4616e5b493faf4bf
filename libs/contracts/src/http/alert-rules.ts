import { z } from "zod";
import { limits } from "../limits.ts";
import { severity } from "./patterns.ts";
import { isStorable, withRules } from "./texts.ts";

/** The metric of a rule over traffic in a period. Rates are from 0 to 1, ratings from 0 to 10. */
export const alertMetric = z.enum([
  "failureRate",
  "downvoteRate",
  "toolFailureRate",
  "p95LatencyMs",
  "errorCount",
  "meanRating",
  "traceCount",
]);
export type AlertMetric = z.infer<typeof alertMetric>;

const members = z.object({
  name: z.string().min(1).max(200),
  metric: alertMetric,
  comparison: z.enum(["above", "below"]),
  threshold: z.number(),
  windowMinutes: z.number().int().min(1).max(1_440),
  agentId: z.uuid().nullish(),
  severity: severity.optional(),
  enabled: z.boolean().optional(),
  cooldownMinutes: z.number().int().min(1).max(10_080).optional(),
  minSamples: z
    .number()
    .int()
    .min(1)
    .max(10_000)
    .optional()
    .describe("Fewer traces or ratings decide nothing; counts are compared as they are"),
});
const isName = (name: string): boolean => name.trim() !== "" && isStorable(name);

/** Body of `POST /agent-monitoring/alert-rules`. */
export const submittedAlertRule = withRules(members, { name: isName });
/** Body of `PUT /agent-monitoring/alert-rules/{alertRuleId}`: only what is sent changes. */
export const changedAlertRule = withRules(members.partial(), { name: isName });

export const alertRule = members.required().extend({
  _id: z.string(),
  agentId: z.string().nullable(),
  lastFiredAt: z.string().nullable(),
  createdAt: z.string(),
  updatedAt: z.string(),
});

export const alertRuleParams = z.object({ alertRuleId: z.string() });
export const alertRuleReply = z.object({ alertRule });
export const alertRuleList = z.object({ alertRules: z.array(alertRule) });

/** Body of `POST /agent-monitoring/alert-rules/dry-run`: a rule, and over how many days it is tried. */
export const triedAlertRule = withRules(
  members.extend({
    name: members.shape.name.nullish(),
    days: z.number().int().min(1).max(limits.alertTrialDaysMax).nullish().describe("Default 7."),
  }),
  { name: isName },
);

export const alertRuleSentences = {
  name: "name must be a string of at most 200 characters",
  metric: `metric must be one of: ${alertMetric.options.join(", ")}`,
  comparison: "comparison must be one of: above, below",
  threshold: "threshold must be a number",
  windowMinutes: "windowMinutes must be a whole number between 1 and 1440",
  agentId: "agentId must be the id of an agent",
  severity: "severity must be one of: low, medium, high, critical",
  enabled: "enabled must be a boolean",
  cooldownMinutes: "cooldownMinutes must be a whole number between 1 and 10080",
  minSamples: "minSamples must be a whole number between 1 and 10000",
  days: `days must be a whole number between 1 and ${limits.alertTrialDaysMax}`,
} as const;

/** The alerts that an unsaved rule would have sent. Its windows are consecutive, the last one ends now. */
export const alertTrialReply = z.object({
  since: z.string().describe("ISO 8601. Later than was asked for where there are no traces before, or too many."),
  until: z.string(),
  windows: z.int().describe("Windows that were measured."),
  undecided: z.int().describe("Of these, with too few traces or ratings."),
  crossed: z.int().describe("Of these, beyond the threshold."),
  alertCount: z.int().describe("Signals the rule would have raised: of those beyond it, the ones outside a cooldown."),
  alerts: z
    .array(z.object({ at: z.string(), value: z.number(), samples: z.int(), summary: z.string() }))
    .describe("The newest 20, newest first."),
  newest: z
    .object({ value: z.number().nullable(), samples: z.int() })
    .describe("Of the window that ends now; null if it has too many traces or ratings to be tried."),
});
