import { limits } from "@touchstone/contracts/limits";
import {
  AppError,
  elementsOf,
  isJsonObject,
  type JsonObject,
  membersOf,
  memberText,
  objectText,
} from "@touchstone/service-kit/thread";
import { findDepthMistake, findQuestionMistake } from "./check-question.ts";
import type { CaseIdentity } from "./known-cases.ts";

/** A case to add: a question with its source (completions 3.3). */
export interface SubmittedCase extends CaseIdentity {
  /** The question as it was sent, with the time at which it was added. */
  text: string;
}

const required = "case with main_question.query and source is required";
/** The most specific first: turns of one session are several cases. */
const sourceIds = ["traceId", "sessionId", "signalId"] as const;

/** Reads the body of `POST .../cases`. Throws `bad_request` for the first rule that is broken. */
export function readSubmittedCases(
  { value, text }: JsonObject,
  addedAt: Date,
): { cases: SubmittedCase[]; isBulk: boolean; dedupe: boolean } {
  const { dedupe } = value;
  if (!isAbsent(dedupe) && typeof dedupe !== "boolean") throw new AppError("bad_request", "dedupe must be a boolean");
  if (isAbsent(value.cases)) {
    const caseText = memberText(text, "case") ?? "null";
    return { cases: [readCase(value.case, caseText, "case", addedAt)], isBulk: false, dedupe: dedupe !== false };
  }
  if (!Array.isArray(value.cases)) throw new AppError("bad_request", "cases must be an array");
  if (value.cases.length > limits.casesPerRequestMax) {
    throw new AppError("bad_request", `cases must have at most ${limits.casesPerRequestMax} entries`);
  }
  const texts = elementsOf(memberText(text, "cases") as string);
  const cases = value.cases.map((each, index) => readCase(each, texts[index] as string, `cases[${index}]`, addedAt));
  return { cases, isBulk: true, dedupe: dedupe !== false };
}

/** The identity of a case. */
export function identityOf(question: { main_question: { query: string }; source?: unknown }): CaseIdentity {
  const { source } = question;
  const kind = isJsonObject(source) ? sourceIds.find((name) => isFilled(source[name])) : undefined;
  return {
    query: question.main_question.query,
    source: kind === undefined ? null : `${kind} ${(source as Record<string, unknown>)[kind]}`,
  };
}

function readCase(value: unknown, text: string, path: string, addedAt: Date): SubmittedCase {
  const { main_question: main, source } = isJsonObject(value) ? value : {};
  const isNamed = isJsonObject(main) && isFilled(main.query);
  const isSourced = isJsonObject(source) && sourceIds.some((name) => isFilled(source[name]));
  if (!isNamed || !isSourced) throw new AppError("bad_request", required);
  const mistake = findDepthMistake(value) ?? findQuestionMistake(value, path);
  if (mistake !== null) throw new AppError("bad_request", mistake);
  return {
    ...identityOf(value as { main_question: { query: string }; source: unknown }),
    text: isFilled(source.addedAt) ? text : stampSource(text, addedAt),
  };
}

/** The rest of the case stays as it was sent. */
function stampSource(caseText: string, addedAt: Date): string {
  const members = membersOf(caseText);
  const last = members.findLastIndex(({ name }) => name === "source");
  const source = membersOf(members[last]?.valueText ?? "{}").filter(({ name }) => name !== "addedAt");
  const stamped = objectText([...source, { name: "addedAt", valueText: JSON.stringify(addedAt) }]);
  return objectText(members.map((member, index) => (index === last ? { name: "source", valueText: stamped } : member)));
}

const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null;
/** A non-blank text. */
const isFilled = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";
