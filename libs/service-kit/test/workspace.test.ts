import { type Identity, workspaceIgnored } from "@touchstone/contracts";
import { expect, test } from "vitest";
import { requireWorkspace } from "../src/workspace.ts";

const projectId = "01a208c1-9260-7057-8ea2-83773be914d2";
const otherProject = "01a208c1-9260-7057-8ea2-000000000000";
const withoutAccounts = { projectId, organizationId: null, userId: null };

function check(named: unknown, identity: Partial<Identity> = withoutAccounts): string[] {
  const warnings: string[] = [];
  requireWorkspace({ identity: identity as Identity, warn: (sentence) => void warnings.push(sentence) }, named);
  return warnings;
}

test.each([undefined, null, "local", projectId])("%j is the key's project", (named) => {
  expect(check(named)).toEqual([]);
});

test.each(["6650f0a2c4a1d3b2e1f0a9b8", "ws_live_1", "6c1f4a4e-3f5b-4e0e-9b4e-1d2c3b4a5f60", ""])(
  "without accounts %j, which no project can have, is ignored with a warning",
  (named) => {
    expect(check(named)).toEqual([workspaceIgnored]);
  },
);

test("without accounts the id of a possible other project is refused", () => {
  expect(() => check(otherProject)).toThrow("Unauthorized workspace access");
});

test.each([
  { ...withoutAccounts, organizationId: otherProject },
  { projectId: null, organizationId: null, userId: "somebody" },
])("with accounts anything but the key's project is refused", (identity) => {
  for (const named of ["6650f0a2c4a1d3b2e1f0a9b8", "", otherProject]) {
    expect(() => check(named, identity)).toThrow("Unauthorized workspace access");
  }
  expect(check("local", identity)).toEqual([]);
});

test.each([1, {}, ["local"], Number.NaN])("%j is no id", (named) => {
  expect(() => check(named)).toThrow("Could not resolve a valid workspace");
});
