import type { AnalysisNarrative } from "@touchstone/contracts";
import { z } from "zod";
import { findObjects, statedNumber } from "../prompting/read-reply.ts";
import { makeStorable } from "../prompting/storable-text.ts";

const textMaxChars = 10_000;
const itemsMax = 50;

const storable = (text: string): string => makeStorable(text.trim(), textMaxChars);
const isFilled = (item: unknown): item is string => typeof item === "string" && item.trim() !== "";
const asObject = (value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};

const text = z.string().catch("").transform(storable);
const list = z.array(z.unknown()).catch([]);
const texts = list.transform((items) => items.filter(isFilled).slice(0, itemsMax).map(storable));
const score = statedNumber.transform((value) => Math.min(10, Math.max(0, value)) + 0);
/** One of some words in any case; `otherwise` if it is none of them. */
const word = <Word extends string>(words: readonly [Word, ...Word[]], otherwise: NoInfer<Word>) =>
  z
    .string()
    .transform((written) => written.trim().toLowerCase())
    .pipe(z.enum(words))
    .catch(otherwise);
const level = word(["high", "medium", "low"], "medium");
const section = <Shape extends z.ZodRawShape>(shape: Shape) => z.preprocess(asObject, z.object(shape));

const recommendation = z.object({
  category: word(["instructions", "tools", "knowledge", "reasoning", "consistency", "other"], "other"),
  priority: level,
  recommendation: z.string().refine(isFilled).transform(storable),
  reasoning: text,
});

const narrative = z.object({
  summary: z.string().refine(isFilled).transform(storable),
  consistencyScore: score,
  instructionAdherence: z.object({ score, analysis: text, deviations: texts, rating: level }),
  responsePatterns: section({ similarities: texts, differences: texts, outliers: texts, rating: level }),
  reasoningAnalysis: section({ cotQuality: text, reasoningPatterns: texts, reasoningGaps: texts, rating: level }),
  toolUsageAnalysis: section({ effectiveness: text, patterns: texts, issues: texts, rating: level }),
  recommendations: list.transform((items) =>
    items
      .map((item) => recommendation.safeParse(isFilled(item) ? { recommendation: item } : item).data)
      .filter((item) => item !== undefined)
      .slice(0, itemsMax),
  ),
  overallAssessment: section({ strengths: texts, weaknesses: texts, rating: level }),
});

/**
 * The narrative in a reply, parsed leniently: scores are clamped, an unknown category is `other`, an unknown level `medium`,
 * and missing members are empty. A reply without a summary or without one of the two scores is unusable and null: an invented
 * score would pass for a finding.
 */
export function readAnalysis(reply: string): AnalysisNarrative | null {
  for (const object of findObjects(reply)) {
    const read = narrative.safeParse(object);
    if (read.success) return read.data;
  }
  return null;
}
