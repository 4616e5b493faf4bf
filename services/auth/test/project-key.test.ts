import { isWellFormedProjectKey } from "@touchstone/service-kit";
import { expect, test } from "vitest";
import { createProjectKey } from "../src/project-keys/project-key.ts";

test("keys are well formed, and no two are alike", () => {
  const keys = Array.from({ length: 1000 }, createProjectKey);

  expect(keys.filter((key) => !isWellFormedProjectKey(key))).toEqual([]);
  expect(new Set(keys).size).toBe(1000);
});

test("every character is as likely as any other", () => {
  const counts = new Map<string, number>();
  for (let made = 0; made < 4000; made += 1) {
    for (const char of createProjectKey().slice(4, 36)) counts.set(char, (counts.get(char) ?? 0) + 1);
  }

  // 128,000 draws from 62: 2,065 each, give or take 45. Taking bytes modulo 62 would give eight of them 25 % more.
  expect(counts.size).toBe(62);
  expect(Math.max(...counts.values())).toBeLessThan(2065 + 6 * 45);
  expect(Math.min(...counts.values())).toBeGreaterThan(2065 - 6 * 45);
});
