import { expect } from "vitest";
import type { Load } from "./audited-load.ts";
import type { Answer } from "./http-client.ts";

/** A 503 that says when to retry. */
export const isRefusal = (answer: Answer | null): boolean =>
  answer?.status === 503 && answer.headers["retry-after"] === "2";

/** Every request was answered, each refusal said when to retry, and there were no other answers. */
export function expectOnlyHonestAnswers(load: Load): void {
  const other = load.answers.filter(
    (answer) =>
      answer === null ||
      !(
        [200, 201].includes(answer.status) ||
        isRefusal(answer) ||
        (answer.status === 429 && answer.headers["retry-after"] === "1")
      ),
  );
  expect(other).toEqual([]);
}
