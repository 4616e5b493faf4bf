import { expect, test } from "vitest";
import { nameMembers } from "../../src/judges/group-members.ts";

test("a member is named, and said what it does to the group's rating", () => {
  const judge = { kind: "judge", refId: "tone", weight: 1, gate: false } as const;
  const members = [judge, { ...judge, gate: true, weight: 0 }, { ...judge, gate: true, weight: 2 }];
  const judges = [{ _id: "tone", name: "Tone" }];
  expect(nameMembers(members, judges).map(({ role }) => role)).toEqual([
    "weight 1",
    "must pass",
    "must pass, weight 2",
  ]);
  expect(nameMembers([judge], judges)[0]?.name).toBe("Tone");
  expect(nameMembers([{ ...judge, kind: "pattern", refId: "p" }], judges)[0]?.name).toBe("pattern p");
});
