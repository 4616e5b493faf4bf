import { expect, test } from "vitest";
import { caseOfSession } from "../src/judging/compose-case.ts";

const turn = (query: string, actualOutput = "yes") => ({ query, actualOutput, error: null, traceId: "t" });

test("of a conversation that is too long for a judge the last turns are kept, and it says how many are left out", () => {
  const turns = [turn("first"), turn("x".repeat(40_000)), turn("y".repeat(40_000)), turn("last")];

  const { input, output } = caseOfSession(turns);

  expect(input).toBe("first");
  expect(output).toMatch(/^\(2 earlier turns are left out\)\n\n\[turn 3\] User: y{40000}\n\[turn 3\] Agent: yes\n\n/);
  expect(output.endsWith("[turn 4] User: last\n[turn 4] Agent: yes")).toBe(true);
});

test("a last turn that is too long for a judge is visibly cut", () => {
  const { output } = caseOfSession([turn("first"), turn("last", "z".repeat(70_000))]);

  expect(output).toMatch(/^\(1 earlier turn is left out\)\n\n\[turn 2\] User: last\n/);
  expect(output).toMatch(/z\.\.\. \[cut after 60000 characters\]$/);
});
