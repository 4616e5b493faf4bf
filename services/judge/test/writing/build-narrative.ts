import type { AnalysisNarrative } from "@touchstone/contracts";

/** A narrative with something in every member. */
export function buildNarrative(overrides: Partial<AnalysisNarrative> = {}): AnalysisNarrative {
  return {
    summary: "Answers well, except on dates.",
    consistencyScore: 6.5,
    instructionAdherence: { score: 7, analysis: "Mostly.", deviations: ["No date."], rating: "medium" },
    responsePatterns: { similarities: ["Short."], differences: ["Tone."], outliers: ["One list."], rating: "high" },
    reasoningAnalysis: { cotQuality: "Sound.", reasoningPatterns: ["Looks up."], reasoningGaps: [], rating: "high" },
    toolUsageAnalysis: { effectiveness: "Good.", patterns: ["Search."], issues: ["Retries."], rating: "low" },
    recommendations: [
      { category: "tools", priority: "high", recommendation: "Add a calendar.", reasoning: "Dates are wrong." },
    ],
    overallAssessment: { strengths: ["Facts."], weaknesses: ["Dates."], rating: "medium" },
    ...overrides,
  };
}
