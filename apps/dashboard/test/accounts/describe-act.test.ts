import { expect, test } from "vitest";
import { describeAction, describeDetails } from "../../src/accounts/describe-act.ts";

test("an act is named in words", () => {
  expect(describeAction("member.role-changed")).toBe("Member role changed");
  expect(describeAction("")).toBe("");
});

test("details are one line without what is empty", () => {
  expect(describeDetails({ email: "a@b.example", from: null, projectsTaken: 0, changed: [] })).toBe(
    "email: a@b.example, projects taken: 0",
  );
  expect(describeDetails({ before: { days: 3 } })).toBe('before: {"days":3}');
});
