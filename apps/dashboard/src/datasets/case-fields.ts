import type { Question } from "./queries.ts";

/** The editable fields of a case. Lists are texts: context between blank lines, tools on lines, tags between commas. */
export type CaseFields = {
  query: string;
  expected: string;
  guideline: string;
  context: string;
  expectedContext: string;
  tools: string;
  toolsMode: string;
  variants: string;
  split: string;
  tags: string;
};

export const fieldLabels: Readonly<Record<keyof CaseFields, string>> = {
  query: "Question",
  expected: "Expected answer",
  guideline: "Guideline for the judge",
  context: "Context",
  expectedContext: "Expected context",
  tools: "Expected tools",
  toolsMode: "Order of the tools",
  variants: "Variants",
  split: "Split",
  tags: "Tags",
};

/** The API's maximum number of paraphrases of a case. */
export const variantsMost = 20;

const paragraphs = (texts: string | readonly string[] | null | undefined): string => [texts ?? []].flat().join("\n\n");

export function fieldsOf(question: Question | null): CaseFields {
  const main = question?.main_question;
  return {
    query: main?.query ?? "",
    expected: main?.expectedResults ?? "",
    guideline: main?.judgeGuideline ?? "",
    context: paragraphs(main?.retrievalContext),
    expectedContext: paragraphs(main?.expectedRetrievalContext),
    tools: main?.expectedTrajectory?.tools.join("\n") ?? "",
    toolsMode: main?.expectedTrajectory?.mode ?? "strict",
    variants: main?.smokeTest?.enabled === true ? String(main.smokeTest.count ?? 1) : "",
    split: question?.split ?? "",
    tags: question?.tags?.join(", ") ?? "",
  };
}

/** The case as it is stored: hidden and untouched fields are unchanged. */
export function questionOf(fields: CaseFields, original: Question | null): Question {
  const before = fieldsOf(original);
  const changed = (name: keyof CaseFields): boolean => fields[name] !== before[name];
  const main = original?.main_question;
  const question = { ...original, main_question: { ...main, query: fields.query } } as Question;
  const put = (target: object, name: string, value: unknown): void => {
    if (value === undefined) delete (target as Record<string, unknown>)[name];
    else Object.assign(target, { [name]: value });
  };
  const asked = question.main_question;
  if (changed("expected")) put(asked, "expectedResults", filled(fields.expected));
  if (changed("guideline")) put(asked, "judgeGuideline", filled(fields.guideline));
  if (changed("context")) put(asked, "retrievalContext", likeBefore(fields.context, main?.retrievalContext));
  if (changed("expectedContext")) {
    put(asked, "expectedRetrievalContext", likeBefore(fields.expectedContext, main?.expectedRetrievalContext));
  }
  if (changed("tools") || changed("toolsMode")) {
    const tools = split(fields.tools, /\n/);
    const trajectory = { ...main?.expectedTrajectory, tools, mode: fields.toolsMode };
    put(asked, "expectedTrajectory", tools.length === 0 ? undefined : trajectory);
  }
  if (changed("variants")) {
    const count = Number(fields.variants);
    put(asked, "smokeTest", count === 0 ? undefined : { ...main?.smokeTest, enabled: true, count });
  }
  if (changed("split")) put(question, "split", filled(fields.split));
  if (changed("tags")) {
    const tags = split(fields.tags, /,/);
    put(question, "tags", tags.length === 0 ? undefined : tags);
  }
  return question;
}

/** Why it cannot be saved yet. */
export function mistakeOf({ query, variants }: CaseFields): string | undefined {
  if (query.trim() === "") return "A case needs a question.";
  const isCount = /^\d{0,2}$/.test(variants.trim()) && Number(variants) <= variantsMost;
  return isCount ? undefined : `Variants are a number from 0 to ${variantsMost}.`;
}

/**
 * The position of the case that was read as `base`: the same, another one if it moved, or null if it was changed or
 * deleted. A base of null is a new case, at the end.
 */
export function placeOf(base: Question | null, index: number, questions: readonly Question[]): number | null {
  if (base === null) return questions.length;
  const text = JSON.stringify(base);
  if (JSON.stringify(questions[index]) === text) return index;
  const place = questions.findIndex((question) => JSON.stringify(question) === text);
  return place === -1 ? null : place;
}

const filled = (text: string): string | undefined => (text.trim() === "" ? undefined : text);

const split = (text: string, separator: RegExp): string[] =>
  text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== "");

/** A list stays a list: its texts are between blank lines. */
function likeBefore(text: string, before: string | readonly string[] | null | undefined) {
  return Array.isArray(before) && text.trim() !== "" ? split(text, /\n\s*\n/) : filled(text);
}
