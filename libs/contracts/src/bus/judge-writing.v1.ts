import { z } from "zod";
import { traceTopic } from "../http/traces.ts";
import { defineRequest } from "./define.ts";
import { skipReason } from "./judge.v1.ts";
import { payer } from "./judge-payer.ts";

/** Why the judge could not write the text: shown to the client. `isPassing` and `isUnsent` as in a verdict. */
const failure = z.object({
  reason: skipReason,
  message: z.string(),
  isPassing: z.boolean().optional(),
  isUnsent: z.boolean().optional(),
});

/** Requests paraphrases of a question (completions 5.1). The reply may have fewer than requested, or none. */
export const paraphraseQuery = defineRequest({
  subject: "svc.judge.paraphrase-query.v1",
  askedBy: ["eval-runs"],
  answeredBy: "judge",
  body: z.object({
    ...payer,
    model: z.string().nullable(),
    query: z.string(),
    count: z.number().int().min(1).max(20),
    guidance: z.string().nullable(),
  }),
  reply: z.object({ variants: z.array(z.string()), failure: failure.nullable() }),
});

/** Requests an expected result of a question (completions 3.3, suggest-expected). */
export const suggestExpected = defineRequest({
  subject: "svc.judge.suggest-expected.v1",
  askedBy: ["eval-runs"],
  answeredBy: "judge",
  body: z.object({
    ...payer,
    model: z.string().nullable(),
    query: z.string(),
    actualOutput: z.string().nullable(),
    error: z.string().nullable(),
  }),
  reply: z.object({
    suggestion: z.object({ expected: z.string(), rationale: z.string().nullable() }).nullable(),
    failure: failure.nullable(),
  }),
});

/**
 * Requests whether a text of a live trace matches a pattern, one question for each condition (completions 9.3). Exactly
 * one of `match` and `failure` is null.
 */
export const matchPattern = defineRequest({
  subject: "svc.judge.match-pattern.v1",
  askedBy: ["monitor"],
  answeredBy: "judge",
  body: z.object({ ...payer, model: z.string().nullable(), text: z.string(), prompt: z.string() }),
  reply: z.object({
    match: z.object({ matched: z.boolean(), reason: z.string().nullable() }).nullable(),
    failure: failure.nullable(),
  }),
});

/**
 * Requests a regular expression for a description (completions 9.3), or another one after a refused one. The caller
 * checks whether it compiles. Exactly one of `suggestion` and `failure` is null.
 */
export const writeRegex = defineRequest({
  subject: "svc.judge.write-regex.v1",
  askedBy: ["monitor"],
  answeredBy: "judge",
  body: z.object({
    ...payer,
    model: z.string().nullable(),
    description: z.string(),
    rejected: z.object({ regex: z.string(), because: z.string() }).nullable(),
  }),
  reply: z.object({
    suggestion: z.object({ regex: z.string(), explanation: z.string().nullable() }).nullable(),
    failure: failure.nullable(),
  }),
});

/** One span of a live trace as scripts and external scorers receive it (completions 6.2). */
export const scriptSpan = z.object({
  span_id: z.string(),
  parent_span_id: z.string().nullable(),
  name: z.string(),
  type: z.string(),
  input: z.json(),
  output: z.json(),
  error: z.string().nullable(),
  model: z.string().nullable(),
  latency_ms: z.number().nullable(),
  input_tokens: z.number().nullable(),
  output_tokens: z.number().nullable(),
  tool_calls: z.json(),
  metadata: z.json(),
  started_at: z.string(),
});
export type ScriptSpan = z.infer<typeof scriptSpan>;

/**
 * Runs the script of a custom scorer on a live trace (completions 6.2): its `handler`, for 8 s at most. A null `score`
 * = the script skips this trace. Exactly one of `result` and `failure` is null. If `isLasting` is set, a retry would
 * fail again.
 */
export const runScript = defineRequest({
  subject: "svc.judge.run-script.v1",
  askedBy: ["monitor"],
  answeredBy: "judge",
  body: z.object({
    projectId: z.uuid(),
    script: z.string(),
    input: z.string().nullable(),
    output: z.string().nullable(),
    expected: z.string().nullable(),
    metadata: z.json(),
    spans: z.array(scriptSpan),
  }),
  reply: z.object({
    result: z
      .object({
        score: z.number().min(0).max(1).nullable(),
        name: z.string().nullable(),
        reason: z.string().nullable(),
        metadata: z.json(),
      })
      .nullable(),
    failure: z.object({ message: z.string(), isLasting: z.boolean() }).nullable(),
  }),
});

/**
 * Requests the topic of a live trace (completions 9.5). Reuses one of `labels`, the frequent intents, if it fits.
 * Exactly one of `topic` and `failure` is null.
 */
export const classifyTopic = defineRequest({
  subject: "svc.judge.classify-topic.v1",
  askedBy: ["monitor"],
  answeredBy: "judge",
  body: z.object({
    ...payer,
    model: z.string().nullable(),
    input: z.string(),
    output: z.string(),
    labels: z.array(z.string()).max(30),
  }),
  reply: z.object({ topic: traceTopic.nullable(), failure: failure.nullable() }),
});

/** Requests the similarity of a text to others, as cosines of embeddings on 0..1; null = embedding is not possible. */
export const compareTexts = defineRequest({
  subject: "svc.judge.compare-texts.v1",
  askedBy: ["eval-runs"],
  answeredBy: "judge",
  body: z.object({ ...payer, text: z.string(), others: z.array(z.string()).max(100), model: z.string().nullable() }),
  reply: z.object({ cosines: z.array(z.number().min(0).max(1)).nullable() }),
});

const level = z.enum(["high", "medium", "low"]);

/** The narrative of an analysis (interface: Report). */
export const analysisNarrative = z.object({
  summary: z.string(),
  consistencyScore: z.number().min(0).max(10),
  instructionAdherence: z.object({
    score: z.number().min(0).max(10),
    analysis: z.string(),
    deviations: z.array(z.string()),
    rating: level,
  }),
  responsePatterns: z.object({
    similarities: z.array(z.string()),
    differences: z.array(z.string()),
    outliers: z.array(z.string()),
    rating: level,
  }),
  reasoningAnalysis: z.object({
    cotQuality: z.string(),
    reasoningPatterns: z.array(z.string()),
    reasoningGaps: z.array(z.string()),
    rating: level,
  }),
  toolUsageAnalysis: z.object({
    effectiveness: z.string(),
    patterns: z.array(z.string()),
    issues: z.array(z.string()),
    rating: level,
  }),
  recommendations: z.array(
    z.object({
      category: z.enum(["instructions", "tools", "knowledge", "reasoning", "consistency", "other"]),
      priority: level,
      recommendation: z.string(),
      reasoning: z.string(),
    }),
  ),
  overallAssessment: z.object({ strengths: z.array(z.string()), weaknesses: z.array(z.string()), rating: level }),
});
export type AnalysisNarrative = z.infer<typeof analysisNarrative>;

/** Requests the narrative of a run's analysis from its statistics and a sample of its results (completions 5.9). */
export const writeAnalysis = defineRequest({
  subject: "svc.judge.write-analysis.v1",
  askedBy: ["eval-runs"],
  answeredBy: "judge",
  body: z.object({
    ...payer,
    model: z.string().nullable(),
    criteria: z.object({
      acceptance: z.string().nullable(),
      rejection: z.string().nullable(),
      evaluation: z.string().nullable(),
    }),
    statistics: z.record(z.string(), z.json()),
    /** At most 17, worst first; `reratings` are the ratings of the analysing judges. */
    sample: z
      .array(
        z.object({
          query: z.string(),
          expected: z.string().nullable(),
          response: z.string(),
          rating: z.number(),
          justification: z.string(),
          reratings: z.array(z.number()),
        }),
      )
      .max(17),
  }),
  reply: z.object({ narrative: analysisNarrative.nullable(), failure: failure.nullable() }),
});
