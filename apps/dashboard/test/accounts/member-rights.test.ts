import { expect, test } from "vitest";
import { whyNotChangeRole, whyNotRemove } from "../../src/accounts/member-rights.ts";

const roles = ["owner", "admin", "member"] as const;

test("who may remove whom is what the table of teams.md says", () => {
  const may = roles.map((role) => roles.filter((other) => whyNotRemove(role, { role: other }) === null));
  expect(may).toEqual([["admin", "member"], ["member"], []]);
});

test("only the owner changes roles, and never the owner's", () => {
  const may = roles.map((role) => roles.filter((other) => whyNotChangeRole(role, { role: other }) === null));
  expect(may).toEqual([["admin", "member"], [], []]);
});
