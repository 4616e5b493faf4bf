import { limits } from "@touchstone/contracts/limits";
import { AppError, elementsOf, membersOf, memberText, objectText } from "@touchstone/service-kit/thread";

/** The cases of a document, as the texts that were sent. */
export function questionTextsOf(document: string): string[] {
  return elementsOf(memberText(document, "questions") ?? "[]");
}

/** The document with other cases, otherwise unchanged. Throws as {@link checkSize}. */
export function replaceQuestions(document: string, texts: readonly string[]): string {
  const changed = objectText(
    membersOf(document).map(({ name, valueText }) =>
      name === "questions" ? { name, valueText: `[${texts.join(",")}]` } : { name, valueText },
    ),
  );
  return checkSize(changed, Buffer.byteLength(document));
}

/**
 * Returns the document. Throws `bad_request` when it is larger than a request may be, so that none could replace it, unless it is
 * smaller than the one before, whose size is in bytes.
 */
export function checkSize(document: string, sizeBefore = 0): string {
  const size = Buffer.byteLength(document);
  if (size > limits.jsonBodyMaxBytes && size >= sizeBefore) throw tooLarge();
  return document;
}

export const tooLarge = () => new AppError("bad_request", "The dataset would be larger than 10 MiB");

export function caseNotFound(): never {
  throw new AppError("not_found", "Case not found");
}
