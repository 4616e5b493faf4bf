import { limits } from "@touchstone/contracts/limits";
import { isDeeperThan, isJsonObject } from "@touchstone/service-kit/thread";
import { findMistake, flag, integerWithin, type MemberRule, text, textOrTexts, texts } from "../json/member-rules.ts";

const caseRules: Readonly<Record<string, MemberRule>> = {
  expectedResults: text,
  judgeGuideline: text,
  retrievalContext: textOrTexts,
  expectedRetrievalContext: textOrTexts,
  expectedCapabilities: texts,
  expectedKnowledgeBase: texts,
  expectedDelegations: texts,
};
// An unknown mode is read as strict, so only its type is checked (completions 3.2).
const trajectoryRules = { tools: texts, mode: text };
const smokeTestRules = { enabled: flag, count: integerWithin(0, limits.variantsPerCaseMax), guidance: text };
const sourceRules = { traceId: text, sessionId: text, signalId: text, addedAt: text };
const questionRules = { split: text, tags: texts };

/** A case is nested in a list within the document, and the document may be nested when it is sent back. */
const caseDepthMax = limits.jsonDepthMax - 2;

/** The sentence for a case that is nested too deep; null if it is not. */
export const findDepthMistake = (question: unknown): string | null =>
  isDeeperThan(question, caseDepthMax) ? `The case nests deeper than ${caseDepthMax} levels` : null;

/**
 * The error message for the first rule that a question of a dataset breaks (completions 3.2), or null. `path` is its position.
 * Unknown members may have any value; null counts as absent.
 */
export function findQuestionMistake(question: unknown, path: string): string | null {
  const main = isJsonObject(question) ? question.main_question : undefined;
  if (!isJsonObject(question) || !isJsonObject(main) || !isFilled(main.query)) {
    return "Each question must have main_question.query";
  }
  return (
    findCaseMistake(main, `${path}.main_question`) ??
    findFollowUpMistake(question.follow_up_questions, `${path}.follow_up_questions`) ??
    findMistake(path, question, questionRules) ??
    findMistake(`${path}.source`, question.source, sourceRules)
  );
}

function findCaseMistake(main: Record<string, unknown>, path: string): string | null {
  const { expectedTrajectory: trajectory } = main;
  if (isJsonObject(trajectory) && (trajectory.tools ?? null) === null) {
    return `${path}.expectedTrajectory.tools must be an array of strings`;
  }
  return (
    findMistake(path, main, caseRules) ??
    findMistake(`${path}.expectedTrajectory`, trajectory, trajectoryRules) ??
    findMistake(`${path}.smokeTest`, main.smokeTest, smokeTestRules)
  );
}

/** Later turns are stored but not scored; the same rules apply. */
function findFollowUpMistake(questions: unknown, path: string): string | null {
  if (questions === undefined || questions === null) return null;
  if (!Array.isArray(questions)) return `${path} must be an array`;
  for (const [index, question] of questions.entries()) {
    const at = `${path}[${index}]`;
    if (!isJsonObject(question) || !isFilled(question.query)) return `${at} must have a query`;
    const mistake = findCaseMistake(question, at);
    if (mistake !== null) return mistake;
  }
  return null;
}

/** A non-blank text. */
const isFilled = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";
