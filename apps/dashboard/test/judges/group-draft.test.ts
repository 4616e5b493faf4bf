import { expect, test } from "vitest";
import { bodyOfGroup, draftOfGroup, emptyGroup, missingOfGroup } from "../../src/judges/group-draft.ts";

const group = {
  _id: "1",
  name: "Care",
  members: [
    { kind: "judge" as const, refId: "j", weight: 2, gate: false },
    { kind: "pattern" as const, refId: "p", weight: 0, gate: true },
  ],
  online: { enabled: false, sampleRate: 0.07, alertThreshold: null, severity: "high" as const },
  createdAt: "",
  updatedAt: "",
};

test("an untouched stored group is sent unchanged", () => {
  const { name, members, online } = group;
  expect(bodyOfGroup(draftOfGroup(group))).toEqual({ name, members, online, description: null });
});

test("a group that rates nothing by itself is detached", () => {
  expect(bodyOfGroup({ ...draftOfGroup(group), live: "no" }).online).toBeNull();
});

test("a group that cannot be saved says what is missing", () => {
  const draft = draftOfGroup(group);
  const [member] = draft.members;
  if (member === undefined) throw new Error("a member");
  expect(missingOfGroup(draft)).toBeUndefined();
  expect(missingOfGroup(emptyGroup)).toBe("Give it a name.");
  expect(missingOfGroup({ ...draft, members: [] })).toBe("A group needs a member.");
  for (const weight of ["", "-1", "much"]) {
    expect(missingOfGroup({ ...draft, members: [{ ...member, weight }] })).toBe("A weight is a number from 0.");
  }
  expect(missingOfGroup({ ...draft, members: [{ ...member, weight: "0" }] })).toBe("Give a member a weight above 0.");
  expect(missingOfGroup({ ...draft, samplePercent: "101" })).toMatch(/^A share/);
  expect(missingOfGroup({ ...draft, alertThreshold: "11" })).toMatch(/^A threshold/);
});
