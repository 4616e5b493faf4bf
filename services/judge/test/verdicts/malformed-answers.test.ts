import { type ScriptedLlm, startScriptedLlm } from "@touchstone/testkit";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { setUpJudge } from "../providers/judge-setup.ts";
import { malformedAnswers } from "./malformed-answers.ts";

let llm: ScriptedLlm;

beforeAll(async () => {
  llm = await startScriptedLlm();
});
beforeEach(() => llm.reset());
afterAll(() => llm.stop());

describe.each(malformedAnswers)("of the malformed answers of class %s", (_, answers) => {
  test.each(answers.map((answer) => [answer.name, answer] as const))(
    "%s is scored or skipped as documented",
    { tags: ["spec:limit.rating"] },
    async (__, { reply, expected }) => {
      for (const firstApi of ["responses", "chat"] as const) {
        llm.reset();
        llm.answerWith(reply);
        const { judge, log } = setUpJudge(llm, { firstApi, retriesMax: 0 });
        const verdict = await judge();
        const asked = llm.requests.length;
        if ("rating" in expected) {
          expect(verdict).toMatchObject({ status: "scored", rating: expected.rating, reason: null });
          expect(asked).toBe(1);
        } else {
          expect(verdict).toMatchObject({ status: "skipped", rating: null, reason: expected.skipped });
          expect(asked).toBe(expected.skipped === "unparseable" ? 2 : 1);
        }
        if (verdict.reason === "unparseable") {
          expect(verdict.justification).toBe("Judge returned no usable rating");
          expect(llm.requests[1]?.prompt).toContain("Your previous reply could not be used.");
        }
        // A bug would be answered, too, but it would be logged.
        expect(log()).toBe("");
      }
    },
  );

  test.each(answers.map((answer) => [answer.name, answer] as const))(
    "%s costs nothing when the second answer is right",
    async (__, { reply, expected }) => {
      llm.enqueue(reply, { kind: "verdict", rating: 6 });
      const rating = "rating" in expected ? expected.rating : expected.skipped === "unparseable" ? 6 : null;
      await expect(setUpJudge(llm, { retriesMax: 0 }).judge()).resolves.toMatchObject({ rating });
    },
  );
});
