import { describe, expect, test } from "vitest";
import { fieldsOf, mistakeOf, placeOf, questionOf } from "../../src/datasets/case-fields.ts";

const rich = {
  main_question: {
    query: "May I return it?",
    expectedResults: "Yes.",
    retrievalContext: ["Returns end after 30 days.", "Shoes too."],
    expectedTrajectory: { tools: ["lookup", "refund"] },
    smokeTest: { enabled: true, count: 3, guidance: "Be rude." },
    expectedCapabilities: ["refunds"],
    colour: "red",
  },
  follow_up_questions: [{ query: "And by post?" }],
  source: { traceId: "7" },
  tags: ["returns", "shoes"],
};

describe("an edited case", () => {
  test("untouched fields are stored unchanged, including those that the form does not show", () => {
    expect(questionOf(fieldsOf(rich), rich)).toEqual(rich);
  });

  test("takes what was typed and keeps the rest", () => {
    const changed = questionOf({ ...fieldsOf(rich), expected: "No.", tags: "returns , late,", variants: "5" }, rich);
    expect(changed).toEqual({
      ...rich,
      main_question: {
        ...rich.main_question,
        expectedResults: "No.",
        smokeTest: { enabled: true, count: 5, guidance: "Be rude." },
      },
      tags: ["returns", "late"],
    });
  });

  test("loses what was emptied", () => {
    const { expected: _expected, ...others } = fieldsOf(rich);
    const emptied = questionOf({ ...others, expected: " ", tools: "", variants: "", tags: "" }, rich);
    expect(emptied.main_question).not.toHaveProperty("expectedResults");
    expect(emptied.main_question).not.toHaveProperty("expectedTrajectory");
    expect(emptied.main_question).not.toHaveProperty("smokeTest");
    expect(emptied).not.toHaveProperty("tags");
  });

  test("keeps a list of contexts a list", () => {
    const changed = questionOf({ ...fieldsOf(rich), context: "One.\n\nTwo.\n\nThree." }, rich);
    expect(changed.main_question.retrievalContext).toEqual(["One.", "Two.", "Three."]);
    const plain = { main_question: { query: "a", retrievalContext: "One." } };
    expect(questionOf({ ...fieldsOf(plain), context: "One.\n\nTwo." }, plain).main_question.retrievalContext).toBe(
      "One.\n\nTwo.",
    );
  });
});

test("a new case has only what was typed", () => {
  expect(questionOf({ ...fieldsOf(null), query: "Where is it?" }, null)).toEqual({
    main_question: { query: "Where is it?" },
  });
});

test("a case needs a question, and a sensible number of variants", () => {
  const fields = { ...fieldsOf(null), query: "a" };
  expect(mistakeOf(fields)).toBeUndefined();
  expect(mistakeOf({ ...fields, query: " " })).toBe("A case needs a question.");
  for (const variants of ["21", "-1", "1.5", "two"]) expect(mistakeOf({ ...fields, variants })).toMatch(/^Variants/);
});

test("a case is found at its position, at its new one after a move, and not after a change", () => {
  const [one, two, three] = ["1", "2", "3"].map((query) => ({ main_question: { query } }));
  if (!one || !two || !three) throw new Error("three cases");
  expect(placeOf(two, 1, [one, two, three])).toBe(1);
  expect(placeOf(three, 2, [one, three])).toBe(1);
  expect(placeOf(two, 1, [one, three])).toBeNull();
  expect(placeOf(null, 0, [one, two])).toBe(2);
});
