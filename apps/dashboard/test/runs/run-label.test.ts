import { expect, test } from "vitest";
import { judgeVersionOf } from "../../src/runs/run-label.ts";

const versions = [
  { versionNumber: 3, createdAt: "2026-01-03T00:00:00.000Z" },
  { versionNumber: 1, createdAt: "2026-01-01T00:00:00.000Z" },
];

test("the judge of a run has the version that was the newest when the run was created", () => {
  const versionAt = (createdAt: string) => judgeVersionOf({ runSource: "sdk", createdAt }, versions);
  expect(versionAt("2026-01-02T00:00:00.000Z")).toBe(1);
  expect(versionAt("2026-01-03T00:00:00.000Z")).toBe(3);
  // The version that was the newest then was deleted.
  expect(versionAt("2025-12-31T00:00:00.000Z")).toBeUndefined();
});

test("the judge of an imported run has no known version, as it may have rated the run long after its import", () => {
  expect(judgeVersionOf({ runSource: "external", createdAt: "2026-01-02T00:00:00.000Z" }, versions)).toBeUndefined();
});
