import type { Question } from "./queries.ts";

/** A case with its place in the dataset, which is what runs name it by. */
export interface NumberedCase {
  index: number;
  question: Question;
}

/** The cases whose question, expected answer, guideline, tags or split have every word of the search. */
export function findCases(questions: readonly Question[], search: string): NumberedCase[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return questions.flatMap((question, index) => {
    const text = searchedText(question).toLowerCase();
    return words.every((word) => text.includes(word)) ? [{ index, question }] : [];
  });
}

function searchedText({ main_question: main, follow_up_questions: later, tags, split }: Question): string {
  const turns = [main, ...(later ?? [])].flatMap(({ query, expectedResults }) => [query, expectedResults]);
  return [...turns, main.judgeGuideline, ...(tags ?? []), split].filter(Boolean).join("\n");
}

/** The number of paraphrases of a case when a run starts; 0 when none are requested. */
export function variantsOf({ main_question }: Question): number {
  const { smokeTest } = main_question;
  return smokeTest?.enabled === true ? (smokeTest.count ?? 1) : 0;
}

/** What graders look at besides the expected answer, in words. */
export function extrasOf({ main_question: main, follow_up_questions }: Question): string[] {
  return [
    main.judgeGuideline && "guideline",
    main.expectedTrajectory && "tools",
    filled(main.expectedRetrievalContext) && "expected context",
    filled(main.retrievalContext) && "context",
    (follow_up_questions?.length ?? 0) > 0 && "follow-ups",
  ].filter((extra): extra is string => typeof extra === "string" && extra !== "");
}

const filled = (value: string | string[] | null | undefined): boolean => value != null && value.length > 0;
