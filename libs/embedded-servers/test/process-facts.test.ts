import { expect, test } from "vitest";
import { parseStartTime, readProcessFacts, readStartTime } from "../src/process-facts.ts";

const after = "1 5 5 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 8123456 2703360 400 18446744073709551615";

test("the start time is found behind names with spaces and parentheses", () => {
  expect(parseStartTime(`42 (sh) S ${after}`)).toBe("8123456");
  expect(parseStartTime(`42 (a) R 9 (b) S ${after}`)).toBe("8123456");
});

test("a zombie counts as gone", () => {
  expect(parseStartTime(`42 (sh) Z ${after}`)).toBeNull();
});

test.runIf(process.platform === "linux")(
  "a running process is identified by its executable and arguments",
  async () => {
    const facts = await readProcessFacts(process.pid);
    expect(facts?.workingFolder).toBe(process.cwd());
    expect(facts?.executable).toMatch(/node/);
    expect(await readStartTime(process.pid)).toMatch(/^\d+$/);
    expect(await readStartTime(2 ** 30)).toBeNull();
    expect(await readProcessFacts(2 ** 30)).toBeNull();
  },
);
