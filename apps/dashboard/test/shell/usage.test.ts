import { expect, test } from "vitest";
import { spentQuotas } from "../../src/shell/usage.ts";

const room = { used: 0, limit: 1 };
const spent = { used: 3, limit: 3 };
const day = { day: "2026-03-10", resetsAt: "2026-03-11T00:00:00.000Z" };

test("a quota that is used up says what it stops, and one without a limit never does", () => {
  expect(spentQuotas({ ...day, traces: room, judgeCalls: room, onlineJudgeCalls: { used: 9, limit: null } })).toEqual(
    [],
  );
  expect(spentQuotas({ ...day, traces: spent, judgeCalls: room, onlineJudgeCalls: spent })).toEqual([
    "New traces are refused.",
    "Traces are not judged live.",
  ]);
});

test("without judge calls of any kind one sentence is enough", () => {
  expect(spentQuotas({ ...day, traces: room, judgeCalls: spent, onlineJudgeCalls: spent })).toEqual([
    "Results are stored without a rating.",
  ]);
});
