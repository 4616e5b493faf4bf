import type { Severity } from "../blocks/severities.ts";
import type { Pattern } from "../blocks/watching-queries.ts";
import { isWithin, percentOf, shareOfPercent } from "../ui/format.ts";

export type PatternCondition = Pattern["conditions"][number];
export type PatternSource = PatternCondition["sources"][number];

/** A pattern in the form. */
export interface PatternDraft {
  name: string;
  description: string;
  severity: Severity;
  polarity: Pattern["polarity"];
  enabled: boolean;
  samplePercent: string;
  /** Empty: of every agent. */
  agentIds: readonly string[];
  conditions: readonly PatternCondition[];
}

export const emptyCondition: PatternCondition = {
  connector: "and",
  negate: false,
  sources: ["response"],
  detector: "contains",
  value: "",
  caseSensitive: false,
};

export const emptyPattern: PatternDraft = {
  name: "",
  description: "",
  severity: "medium",
  polarity: "failure",
  enabled: true,
  samplePercent: "100",
  agentIds: [],
  conditions: [emptyCondition],
};

export function draftOfPattern(pattern: Pattern): PatternDraft {
  const { name, description = "", severity, polarity, enabled, sampleRate, scopeMode, agentIds, conditions } = pattern;
  return {
    name,
    description,
    severity,
    polarity,
    enabled,
    samplePercent: String(percentOf(sampleRate)),
    agentIds: scopeMode === "all" ? [] : agentIds,
    conditions,
  };
}

/** The missing fields for saving or a trial, as text. */
export function missingOfPattern({ name, conditions, samplePercent }: PatternDraft): string | undefined {
  if (conditions.length === 0) return "Add a condition.";
  if (conditions.some(({ value }) => value.trim() === "")) return "A condition has no text yet.";
  if (conditions.some(({ sources }) => sources.length === 0)) return "A condition looks at nothing yet.";
  if (!isWithin(samplePercent, 0, 100)) return "A share is between 0 and 100 percent.";
  return name.trim() === "" ? "Give it a name." : undefined;
}

/**
 * The request for a draft. Conditions are sent only if they changed: otherwise those that the API derived from terms
 * would become the user's conditions, and more than 20 of these are refused.
 */
export function bodyOfPattern(draft: PatternDraft, stored: PatternDraft | null) {
  const { agentIds, conditions, description, samplePercent, ...plain } = draft;
  const isChanged = stored === null || JSON.stringify(stored.conditions) !== JSON.stringify(conditions);
  return {
    ...plain,
    name: plain.name.trim(),
    description: description.trim(),
    sampleRate: shareOfPercent(samplePercent),
    scopeMode: agentIds.length === 0 ? ("all" as const) : ("selected" as const),
    agentIds: [...agentIds],
    ...(isChanged && { conditions: [...conditions] }),
  };
}

/** The draft with one condition changed, or, with null, without it. */
export function withCondition(draft: PatternDraft, at: number, change: Partial<PatternCondition> | null): PatternDraft {
  const conditions = draft.conditions.flatMap((condition, index) => {
    if (index !== at) return [condition];
    return change === null ? [] : [{ ...condition, ...change }];
  });
  return { ...draft, conditions };
}

/** The keys of the built-in patterns that are on once this one is switched. */
export function enabledAfter(patterns: readonly Pattern[], key: string, isOn: boolean): string[] {
  const others = patterns.filter((each) => each.source === "builtIn" && each.enabled && each.key !== key);
  return [...others.map((each) => each.key), ...(isOn ? [key] : [])];
}

const sourceWords: Record<PatternSource, string> = {
  response: "answer",
  userMessage: "question",
  trace: "whole trace",
};

const verbs: Record<PatternCondition["detector"], readonly [string, string]> = {
  contains: ["contains", "does not contain"],
  phrase: ["has the words", "does not have the words"],
  regex: ["matches", "does not match"],
  semantic: ["means", "does not mean"],
};

/** `the answer contains "refund"`: a condition in words, without what joins it to the one before. */
function describeCondition({ sources, detector, negate, value }: PatternCondition): string {
  const subject = sources.map((source) => sourceWords[source]).join(" or ");
  return `the ${subject} ${verbs[detector][negate ? 1 : 0]} ${detector === "regex" ? `/${value}/` : `"${value}"`}`;
}

/** What joins a condition to those before it. */
export const joins: Record<PatternCondition["connector"], string> = { and: "and", or: "or", nor: "unless" };

/** A whole pattern in a sentence. */
export function describePattern({ conditions }: Pick<PatternDraft, "conditions">): string {
  return conditions
    .map((condition, at) => {
      const words = describeCondition(condition);
      if (at > 0) return `${joins[condition.connector]} ${words}`;
      return condition.connector === "nor" ? `not when ${words}` : `when ${words}`;
    })
    .join(" ");
}
