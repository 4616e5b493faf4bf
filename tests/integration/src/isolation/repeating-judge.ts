import type { LlmScript } from "@touchstone/testkit";
import { findCanaries } from "./tenant.ts";

/**
 * A model that repeats every canary it reads in everything it writes: verdicts, paraphrases, suggestions, analyses. A
 * prompt with texts of two tenants would put one tenant's text into the other's answers.
 */
export const answerWithCanaries: LlmScript = ({ body }) => {
  const asked = JSON.stringify(body);
  const seen = `Read ${findCanaries(asked).join(" and ")}.`;
  const rating = "medium";
  if (asked.includes("consistencyScore")) {
    return json({
      summary: seen,
      consistencyScore: 7,
      instructionAdherence: { score: 7, analysis: seen, deviations: [seen], rating },
      responsePatterns: { similarities: [seen], differences: [seen], outliers: [], rating },
      reasoningAnalysis: { cotQuality: seen, reasoningPatterns: [], reasoningGaps: [], rating },
      toolUsageAnalysis: { effectiveness: seen, patterns: [], issues: [], rating },
      recommendations: [{ category: "knowledge", priority: "high", recommendation: seen, reasoning: seen }],
      overallAssessment: { strengths: [seen], weaknesses: [], rating },
    });
  }
  if (asked.includes("syntax of RE2")) return json({ regex: "a+", explanation: seen });
  if (asked.includes("rationale")) return json({ expected: seen, rationale: seen });
  if (asked.includes("variants")) return json({ variants: [`${seen} one?`, `${seen} two?`] });
  return { kind: "verdict", rating: 7, justification: seen };
};

const json = (value: object) => ({ kind: "text" as const, text: JSON.stringify(value) });
