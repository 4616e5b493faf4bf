import { readFences } from "./fences.ts";

interface SampledResult {
  query: string;
  rating: number;
  justification: string;
}

/** The analysis of a run, derived from the results in the prompt. */
export function writeAnalysis(prompt: string): Record<string, unknown> {
  const results = [...readFences(prompt)]
    .filter(([label]) => label.startsWith("result "))
    .map(([, text]) => JSON.parse(text) as SampledResult);
  const worst = results.filter(({ rating }) => rating < 5).slice(0, 3);
  const best = results.filter(({ rating }) => rating >= 8).slice(-3);
  const mean = results.reduce((sum, { rating }) => sum + rating, 0) / Math.max(1, results.length);
  const level = mean >= 8 ? "high" : mean >= 6 ? "medium" : "low";
  const name = ({ query, rating }: SampledResult): string => `"${query}" (${rating.toFixed(1)})`;
  const consistency = Math.max(1, 10 - 1.8 * spreadOf(results));
  const listed = worst.map((result) => `${name(result)}: ${result.justification}`);
  return {
    summary: [
      `The ${results.length} results that were read rate ${mean.toFixed(1)} on average.`,
      worst.length === 0
        ? "None of them is rated below 5."
        : `${results.filter(({ rating }) => rating < 5).length} of them fail, among them ${worst.map(name).join(", ")}.`,
      best.length === 0 ? "None is rated 8 or higher." : `Best are ${best.map(name).join(", ")}.`,
      "This text was put together by a script from the judge's reasons; no model wrote it.",
    ].join(" "),
    consistencyScore: Math.round(consistency * 10) / 10,
    instructionAdherence: {
      score: Math.round(mean * 10) / 10,
      analysis:
        worst.length === 0
          ? "The answers keep to the criteria."
          : "Where answers fail, they promise or leave out what the criteria name.",
      deviations: listed,
      rating: level,
    },
    responsePatterns: {
      similarities:
        best.length === 0 ? [] : ["Good answers name the rule, apply it to the case and say what happens next."],
      differences:
        worst.length === 0 ? [] : ["Failing answers confirm what no tool confirmed, or stop after the first sentence."],
      outliers: worst.slice(0, 1).map(name),
      rating: level,
    },
    reasoningAnalysis: {
      cotQuality: "The responses show conclusions and no reasoning.",
      reasoningPatterns: [],
      reasoningGaps: listed.slice(0, 2),
      rating: "medium",
    },
    toolUsageAnalysis: {
      effectiveness: "The results show no calls of tools.",
      patterns: [],
      issues: [],
      rating: "medium",
    },
    recommendations: worst.map((result, index) => ({
      category: index === 0 ? "instructions" : "knowledge",
      priority: result.rating < 2.5 ? "high" : "medium",
      recommendation: `Add the rule behind ${name(result)} to the instructions, with this case as an example.`,
      reasoning: result.justification,
    })),
    overallAssessment: {
      strengths: best.map((result) => `${name(result)}: ${result.justification}`),
      weaknesses: listed,
      rating: level,
    },
  };
}

function spreadOf(results: readonly SampledResult[]): number {
  const mean = results.reduce((sum, { rating }) => sum + rating, 0) / Math.max(1, results.length);
  return Math.sqrt(results.reduce((sum, { rating }) => sum + (rating - mean) ** 2, 0) / Math.max(1, results.length));
}
