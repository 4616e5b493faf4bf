import { limits } from "@touchstone/contracts/limits";
import { AppError, elementsOf, membersOf, memberText, objectText } from "@touchstone/service-kit/thread";

/** The cases of a document, as the texts that were sent. */
export function questionTextsOf(document: string): string[] {
  return elementsOf(memberText(document, "questions") ?? "[]");
}

/**
 * The document with other cases, otherwise unchanged. Throws `bad_request` when the dataset would become one that no request
 * could replace.
 */
export function replaceQuestions(document: string, texts: readonly string[]): string {
  const changed = objectText(
    membersOf(document).map(({ name, valueText }) =>
      name === "questions" ? { name, valueText: `[${texts.join(",")}]` } : { name, valueText },
    ),
  );
  if (Buffer.byteLength(changed) > limits.jsonBodyMaxBytes) {
    throw new AppError("bad_request", "The dataset would be larger than 10 MiB");
  }
  return changed;
}

export function caseNotFound(): never {
  throw new AppError("not_found", "Case not found");
}
