import { describe, expect, test } from "vitest";
import {
  branchesOf,
  defaultBranch,
  firstOfBoth,
  newestOn,
  previousOn,
  type Verdict,
  verdictOfCiRun,
  verdictOfGate,
} from "../../src/gates/verdicts.ts";

const verdict = (key: string, members: Partial<Verdict>): Verdict => ({
  key,
  runId: key,
  isCiRun: true,
  outcome: "passed",
  datasetId: "d",
  branch: "main",
  commit: "d94c3b6",
  caller: null,
  reason: "",
  createdAt: `2026-01-0${key}T00:00:00.000Z`,
  ...members,
});

const ciRun = {
  run_id: "r",
  dataset_id: "d",
  status: "completed" as const,
  gate: "fail" as const,
  results_submitted: 12,
  total_questions: 14,
  pass_rate: 0.5,
  created_at: "2026-01-01T00:00:00.000Z",
  git_context: { branch: "main", commit_sha: "d94c3b6a7f", triggered_by: "nightly" },
};

describe("a verdict", () => {
  test("of a gate that failed names the checks that failed", () => {
    const gate = {
      _id: "g",
      runId: "r",
      datasetId: "d",
      passed: false,
      branch: "main",
      commit: "d94c3b6a7f",
      caller: "nightly",
      checks: [
        { passed: true, detail: "High enough." },
        { passed: false, detail: "Regressed." },
      ],
      createdAt: "2026-01-01T00:00:00.000Z",
    };
    expect(verdictOfGate(gate)).toMatchObject({
      outcome: "failed",
      reason: "Regressed.",
      branch: "main",
      commit: "d94c3b6",
    });
  });

  test("of a CI run show how many passed, and how many were not answered", () => {
    expect(verdictOfCiRun(ciRun)).toMatchObject({
      outcome: "failed",
      branch: "main",
      commit: "d94c3b6",
      caller: "nightly",
      reason: "7 of 14 cases passed. 2 cases were not answered.",
    });
  });

  test("of a CI run that narrowly failed names the cases that passed, not a rounded share that was enough", () => {
    const narrow = { ...ciRun, results_submitted: 44, total_questions: 44, pass_rate: 35 / 44 };
    expect(verdictOfCiRun(narrow).reason).toBe("35 of 44 cases passed.");
  });

  test("of a CI run that is open or ended too late is neither passed nor failed", () => {
    expect(verdictOfCiRun({ ...ciRun, status: "in_progress", gate: null, pass_rate: null }).outcome).toBe("running");
    expect(verdictOfCiRun({ ...ciRun, status: "failed" }).outcome).toBe("expired");
  });
});

describe("verdicts", () => {
  const all = [
    verdict("4", { branch: "fix", commit: "c55d1e8" }),
    verdict("3", { outcome: "running" }),
    verdict("2", { outcome: "failed" }),
    verdict("1", { commit: "4f1c9a2" }),
  ];

  test("name their branches, and the one that is asked about most", () => {
    expect(branchesOf(all)).toEqual(["fix", "main"]);
    expect(defaultBranch(["fix", "main"])).toBe("main");
    expect(defaultBranch(["fix", "release"])).toBe("fix");
    expect(defaultBranch([])).toBeUndefined();
  });

  test("of a branch have a newest one for each dataset, which is decided", () => {
    expect(newestOn(all, "main").map(({ key }) => key)).toEqual(["2"]);
  });

  test("of two lists are one, which goes on in both after the last that is shown", () => {
    const [fourth, third, second, first] = all as [Verdict, Verdict, Verdict, Verdict];
    const keys = (page: ReturnType<typeof firstOfBoth>) => [page.verdicts.map(({ key }) => key), page.nextCursor];
    expect(keys(firstOfBoth([third, first], [fourth, second], 3))).toEqual([["4", "3", "2"], "2"]);
    expect(keys(firstOfBoth([first], [], 3))).toEqual([["1"], null]);
    expect(keys(firstOfBoth([], [], 3))).toEqual([[], null]);
  });

  test("are compared with the one before on their branch, else on the default one", () => {
    expect(previousOn(all.slice(3), all[2] as Verdict)?.key).toBe("1");
    expect(previousOn(all.slice(1), all[0] as Verdict)?.key).toBe("2");
    expect(previousOn([], all[3] as Verdict)).toBeUndefined();
  });
});
