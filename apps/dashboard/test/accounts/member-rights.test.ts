import { expect, test } from "vitest";
import { whyNotChangeRole, whyNotRemove } from "../../src/accounts/member-rights.ts";

const roles = ["owner", "admin", "member"] as const;

test("the rules for removing members match the table of teams.md", () => {
  const may = roles.map((role) => roles.filter((other) => whyNotRemove(role, { role: other }) === null));
  expect(may).toEqual([["admin", "member"], ["member"], []]);
});

test("only the owner changes roles, and never the owner's", () => {
  const may = roles.map((role) => roles.filter((other) => whyNotChangeRole(role, { role: other }) === null));
  expect(may).toEqual([["admin", "member"], [], []]);
});
