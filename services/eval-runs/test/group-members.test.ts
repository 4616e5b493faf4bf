import { type Bus, BusError } from "@touchstone/bus";
import { type RequestContract, scoreMembers, scoreResult } from "@touchstone/contracts";
import { describe, expect, test } from "vitest";
import { planOfDataset, planOfRun } from "../src/grading/plan.ts";
import type { LinkedTrace, MembersRequest } from "../src/judging/judge-request.ts";
import { judgeResult } from "../src/judging/judge-result.ts";
import type { Judgement, JudgeRequest, SubmittedResult } from "../src/judging/judgement.ts";
import { composeResult } from "../src/results/stored-result.ts";
import { readSubmittedResult } from "../src/results/submitted-result.ts";
import { defaultTimings } from "../src/timings.ts";

const source = (id: string, document: object) => ({ id, document: JSON.stringify({ name: id, ...document }) });
const definition = { builtin: "secrets-in-response" };
const plan = planOfRun(planOfDataset(source("dataset", { codeScorers: [{ name: "length", code: "return 1" }] })), {
  settings: null,
  additional: [],
  group: source("group", {
    members: [
      { kind: "pattern", refId: "gone", weight: 1, gate: false },
      { kind: "judge", refId: "tone", weight: 1, gate: false },
      { kind: "pattern", refId: "secrets", weight: 2, gate: true },
      { kind: "custom", refId: "script", weight: 3, gate: false },
    ],
  }),
  groupJudges: new Map([["tone", source("tone", {})]]),
  groupScorers: [
    { kind: "pattern", refId: "secrets", name: "Secrets", definition },
    { kind: "custom", refId: "script", name: "Script", definition: { kind: "code" } },
  ],
});
const traceId = "019a2f6c-7d1e-7a3b-9c4d-5e6f70819205";
const linked: LinkedTrace = {
  trajectory: { steps: [], omittedSteps: 0, toolCalls: [{ name: "search" }], toolDefinitions: [] },
  error: "It broke.",
  retrieval: null,
};
const sent = { idempotencyKey: "k", input: { query: "question" }, output: { text: "answer" }, traceId };
const submitted = readSubmittedResult(sent, JSON.stringify(sent)) as SubmittedResult;

/** A bus whose services answer as a test scripts them. */
function scriptBus(monitor: (call: number) => unknown) {
  const asked: { members: MembersRequest[]; judge: JudgeRequest[] } = { members: [], judge: [] };
  const request = async (contract: RequestContract, body: never): Promise<unknown> => {
    if (contract === scoreMembers) {
      asked.members.push(body);
      const said = monitor(asked.members.length);
      if (said instanceof Error) throw said;
      return said;
    }
    if (contract !== scoreResult) throw new Error("nobody asks that");
    asked.judge.push(body);
    const group = { rating: 6, justification: "Weighted.", reason: null, gatedBy: null };
    return { verdicts: [], similarity: {}, group, deterministic: [{ name: "length", score: 1 }] };
  };
  return { asked, bus: { request } as unknown as Bus };
}

const judge = (bus: Bus, { outageMs = 0, trace = linked as LinkedTrace | null } = {}): Promise<Judgement> =>
  judgeResult(
    { bus, timings: { ...defaultTimings, outageMs } },
    {
      projectId: "p",
      organizationId: "o",
      verdictMode: "replay",
      plan,
      evaluationCase: null,
      submitted,
      linkTrace: async () => trace,
    },
    { leftMs: 60_000, signal: new AbortController().signal },
  );
const rowOf = (judgement: Judgement) =>
  composeResult("id", submitted, judgement, { plan, evaluationCase: null, batchId: "b" }).row;

const away = () => new BusError("no_responder", "nobody is there", { subject: "s" });

describe("the patterns and custom scorers of a group", () => {
  test("are called with their definition from the run's creation, and the judge receives their findings", async () => {
    const findings = [
      { goodness: 0, because: null },
      { goodness: null, because: "The script skips this result." },
    ];
    const { asked, bus } = scriptBus(() => ({ findings }));

    const judgement = await judge(bus);

    expect(asked.members).toEqual([
      {
        projectId: "p",
        organizationId: "o",
        members: [
          { kind: "pattern", refId: "secrets", name: "Secrets", definition },
          { kind: "custom", refId: "script", name: "Script", definition: { kind: "code" } },
        ],
        case: {
          input: "question",
          output: "answer",
          expected: null,
          error: "It broke.",
          toolCalls: [{ name: "search" }],
          traceId,
        },
        verdictMode: "replay",
      },
    ]);
    const because = "It was deleted before the run was created.";
    expect(asked.judge[0]?.group).toEqual({
      name: "group",
      members: [
        { kind: "pattern", refId: "gone", name: "gone", weight: 1, gate: false, goodness: null, because },
        { kind: "judge", refId: "tone", name: "tone", weight: 1, gate: false },
        { kind: "pattern", refId: "secrets", name: "Secrets", weight: 2, gate: true, ...findings[0] },
        { kind: "custom", refId: "script", name: "Script", weight: 3, gate: false, ...findings[1] },
      ],
    });
    expect(rowOf(judgement)).toMatchObject({ status: "scored", rating: 6 });
    expect(rowOf(judgement).codeScorerResults).toEqual([
      { name: "length", score: 1 },
      { name: "gone", score: null, error: because },
      { name: "Secrets", score: 0 },
      { name: "Script", score: null, error: "The script skips this result." },
    ]);
  });

  test("are shown no trace where none can be read", async () => {
    const { asked, bus } = scriptBus(() => ({ findings: [] }));

    const judgement = await judge(bus, { trace: null });

    expect(asked.members[0]?.case).toMatchObject({ error: null, toolCalls: [], traceId: null });
    expect(rowOf(judgement).codeScorerResults?.slice(2)).toMatchObject([
      { name: "Secrets", score: null, error: "It did not answer." },
      { name: "Script", score: null },
    ]);
  });

  test("are waited for while the service that scores them is unavailable", async () => {
    const { asked, bus } = scriptBus((call) => (call === 1 ? away() : { findings: [] }));

    expect(await judge(bus, { outageMs: 30_000 })).toMatchObject({ status: "scored" });
    expect(asked.members).toHaveLength(2);
  });

  test.each([
    ["no_responder", "no_scorer", "No service that scores the patterns and custom scorers of its group is running."],
    [
      "failed",
      "no_scorer",
      "The service that scores the patterns and custom scorers of its group failed on this result.",
    ],
    ["timeout", "timeout", "The result was not scored in time by the patterns and custom scorers of its group."],
    [
      "too_large",
      "too_large",
      "The result is too large to score by the patterns and custom scorers of its group (unknown bytes, limit unknown).",
    ],
  ] as const)(
    "skip the result and use no judge call if they stay unavailable: %s",
    async (kind, skipReason, reason) => {
      const { asked, bus } = scriptBus(() => new BusError(kind, "no", { subject: "s" }));

      const judgement = await judge(bus);

      expect(judgement).toMatchObject({ status: "skipped", rating: null, skipReason, justification: reason });
      expect(asked.judge).toEqual([]);
      expect(rowOf(judgement).codeScorerResults).toEqual(
        ["length", "gone", "Secrets", "Script"].map((name) => ({ name, score: null, error: reason })),
      );
    },
  );
});
