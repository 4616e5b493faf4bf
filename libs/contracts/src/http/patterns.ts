import { z } from "zod";
import { deadlines, limits } from "../limits.ts";
import { listEnd } from "./list-page.ts";
import { filledText } from "./texts.ts";

export const severity = z.enum(["low", "medium", "high", "critical"]);
export const polarity = z.enum(["failure", "proper"]);

/**
 * The part of a trace that a condition examines: `trace` = its output, its error, and the inputs and outputs of its
 * tools.
 */
const patternSource = z.enum(["response", "userMessage", "trace"]);
const detector = z.enum(["phrase", "contains", "regex", "semantic"]);
const detectorKind = z.enum(["contains", "regex", "semantic"]);

/** One condition of a pattern, as it is displayed: they are evaluated left to right (completions 9.3). */
export const patternCondition = z.object({
  connector: z.enum(["and", "or", "nor"]),
  negate: z.boolean(),
  sources: z.array(patternSource).min(1),
  detector,
  value: z.string(),
  caseSensitive: z.boolean(),
});
export type PatternCondition = z.infer<typeof patternCondition>;

const text = z.string().max(limits.patternTextMaxChars);
const terms = z.array(z.string()).max(limits.patternTermsMax);

/** Body of `PUT` and `PATCH /monitor/patterns/{patternId}`: only what is sent changes. */
export const changedPattern = z.object({
  name: z.string().min(1).max(limits.graderNameMaxChars).optional(),
  description: text.nullish(),
  category: text.nullish(),
  detectorKind: detectorKind.nullish(),
  matchTarget: z.array(patternSource).nullish(),
  matchMode: z.enum(["any", "all"]).nullish(),
  includeTerms: terms.nullish(),
  excludeTerms: terms.nullish(),
  regex: z.string().max(limits.regexMaxChars).nullish(),
  semanticPrompt: text.nullish(),
  conditions: z
    .array(
      z.object({
        connector: patternCondition.shape.connector.optional(),
        negate: z.boolean().optional(),
        sources: z.array(patternSource).optional(),
        detector,
        value: z.string().min(1),
        caseSensitive: z.boolean().optional(),
      }),
    )
    .max(limits.patternConditionsMax)
    .nullish(),
  severity: severity.optional(),
  polarity: polarity.optional(),
  enabled: z.boolean().optional(),
  sampleRate: z.number().min(0).max(1).optional(),
  scopeMode: z.enum(["all", "selected"]).optional(),
  agentIds: z.array(z.string()).max(limits.onlineAgentsMax).optional(),
});

/** Body of `POST /monitor/patterns`. */
export const submittedPattern = changedPattern.extend({ name: changedPattern.shape.name.unwrap() });

/** A pattern, custom or built in (completions 9.3). */
export const pattern = z.object({
  _id: z.string(),
  workspaceId: z.string(),
  key: z.string(),
  name: z.string(),
  description: z.string().optional(),
  category: z.string().optional(),
  source: z.enum(["custom", "builtIn"]),
  detectorKind,
  matchTarget: z.array(patternSource),
  matchMode: z.enum(["any", "all"]),
  includeTerms: z.array(z.string()),
  excludeTerms: z.array(z.string()),
  regex: z.string().optional(),
  semanticPrompt: z.string().optional(),
  conditions: z.array(patternCondition),
  severity,
  polarity,
  enabled: z.boolean(),
  sampleRate: z.number(),
  scopeMode: z.enum(["all", "selected"]),
  agentIds: z.array(z.string()),
  readOnly: z.boolean(),
  createdAt: z.string().nullable().describe("null: built in"),
  updatedAt: z.string().nullable().describe("null: built in"),
});

/**
 * Body of `POST /agent-monitoring/patterns/dry-run`: a pattern, and the traces to try it on: those in `traceIds`, or
 * else the newest, at most `limit` of them.
 */
export const triedPattern = changedPattern.extend({
  traceIds: z.array(z.string()).min(1).max(limits.triedTracesMax).optional(),
  window: z.enum(["24h", "7d", "30d"]).optional(),
  limit: z.number().int().min(1).max(limits.triedTracesMax).optional(),
});

/** The matches of an unsaved pattern. */
export const patternTrialReply = z.object({
  checked: z.number().int().describe("Traces it was tried on."),
  matched: z.number().int(),
  matches: z.array(
    z.object({
      traceId: z.string(),
      source: patternSource.describe("The part of the trace that matched."),
      excerpt: z.string(),
    }),
  ),
  errors: z
    .array(z.object({ traceId: z.string().optional(), message: z.string() }))
    .optional()
    .describe(`What it was not tried on, and why: also a trace on which it took over ${deadlines.patternMs / 1000} s.`),
  cut: z
    .array(z.object({ traceId: z.string(), message: z.string() }))
    .optional()
    .describe("Traces with longer texts than are looked at, and what was left out."),
});

/** Body of `POST /agent-monitoring/patterns/generate-regex`. */
export const describedRegex = z.object({ description: filledText.max(limits.patternTextMaxChars) });
export const describedRegexSentences = {
  description: {
    too_big: `description must have at most ${limits.patternTextMaxChars} characters`,
    otherwise: "description is required",
  },
} as const;
export const generatedRegex = z.object({ regex: z.string(), explanation: z.string().optional() });

export const patternParams = z.object({ patternId: z.string() });
export const patternReply = z.object({ pattern });
export const patternList = z.object({ patterns: z.array(pattern), ...listEnd });
