import { type Bus, BusError } from "@touchstone/bus";
import { type KnownMember, matchPattern } from "@touchstone/contracts";
import { AppError } from "@touchstone/service-kit";
import { describe, expect, test } from "vitest";
import type { AskEvaluator } from "../../src/custom-evaluators/ask-evaluator.ts";
import { findMembers } from "../../src/group-members/read-members.ts";
import { findGoodness, type MembersToScore } from "../../src/group-members/score-members.ts";
import { matcherAtOnce } from "../matcher-at-once.ts";
import { quiet } from "../test-store.ts";

const traceId = "019a2f6c-7d1e-7a3b-9c4d-5e6f70819205";
const condition = (detector: "contains" | "semantic", value: string, source: "response" | "trace" = "response") => ({
  connector: "or" as const,
  negate: false,
  sources: [source],
  detector,
  value,
  caseSensitive: false,
});
const pattern = (conditions: object[], polarity = "failure"): KnownMember => ({
  kind: "pattern",
  refId: "p",
  name: "Pattern",
  definition: { polarity, conditions } as KnownMember["definition"],
});
const builtin: KnownMember = { kind: "pattern", refId: "b", name: "B", definition: { builtin: "secrets-in-response" } };
const custom = (definition: object): KnownMember => ({
  kind: "custom",
  refId: "c",
  name: "Custom",
  definition: { kind: "external", invertMatch: false, alertBelow: 0.5, ...definition },
});

type Judge = (call: number) => { matched: boolean; reason: string | null } | Error | "no_key" | "uncounted";

function build(options: { judge?: Judge; answer?: AskEvaluator; isIngestUnavailable?: boolean } = {}) {
  const asked: { prompts: unknown[]; traces: unknown[]; reads: number } = { prompts: [], traces: [], reads: 0 };
  const request = async (contract: unknown, body: { prompt: string }) => {
    expect(contract).toBe(matchPattern);
    asked.prompts.push(body);
    const said = options.judge?.(asked.prompts.length) ?? { matched: true, reason: null };
    if (said instanceof Error) throw said;
    if (said === "no_key") return { match: null, failure: { reason: "no_key", message: "There is no key." } };
    if (said === "uncounted") return { match: null, failure: { reason: "quota", message: "Later.", isPassing: true } };
    return { match: said, failure: null };
  };
  const askEvaluator: AskEvaluator = async (evaluator, trace, signal) => {
    asked.traces.push(trace);
    if (options.answer !== undefined) return options.answer(evaluator, trace, signal);
    return { answer: { matches: true, score: null, reason: null, name: null, metadata: null } };
  };
  const ingest = {
    async readTraceForScripts() {
      asked.reads += 1;
      if (options.isIngestUnavailable) throw new AppError("service_unavailable", "ingest is unavailable");
      return { traceId, name: "agent", input: "recorded", output: "recorded", spans: [], metadata: { a: 1 } } as never;
    },
  };
  const score = (
    members: KnownMember[],
    more: { case?: Partial<MembersToScore["case"]>; verdictMode?: "live" | "replay"; signal?: AbortSignal } = {},
  ) =>
    findGoodness(
      { bus: { request } as unknown as Bus, ingest, askEvaluator, matcher: matcherAtOnce, logger: quiet },
      {
        projectId: "p",
        organizationId: "o",
        members,
        case: {
          input: "question",
          output: "Ask my lawyer.",
          expected: "right",
          error: "It broke.",
          toolCalls: [{ name: "search", output: "found" }],
          traceId,
          ...more.case,
        },
        verdictMode: more.verdictMode ?? "live",
      },
      more.signal ?? new AbortController().signal,
    );
  return { asked, score };
}

describe("members of a group score a result", () => {
  test.each([
    ["a failure that is found", pattern([condition("contains", "lawyer")]), 0],
    ["a failure that is not", pattern([condition("contains", "refund")]), 1],
    ["what is proper and found", pattern([condition("contains", "lawyer")], "proper"), 1],
    ["what is proper and not found", pattern([condition("contains", "refund")], "proper"), 0],
    ["the error of the linked trace", pattern([condition("contains", "broke", "trace")]), 0],
    ["what a tool of the linked trace gave", pattern([condition("contains", "found", "trace")]), 0],
    ["a built-in pattern that finds nothing", builtin, 1],
    ["a custom scorer's flag", custom({}), 0],
    ["a custom scorer's flag turned round", custom({ invertMatch: true }), 1],
  ])("%s", async (_, member, goodness) => {
    expect(await build().score([member])).toEqual([{ goodness, because: null }]);
  });

  test("custom scorers see the result's texts, the expected answer, and the linked trace, which is read once", async () => {
    const { asked, score } = build();
    await score([custom({}), custom({})]);
    const texts = { input: "question", output: "Ask my lawyer.", expected: "right" };
    expect(asked).toMatchObject({ reads: 1, traces: [texts, texts] });
    expect(asked.traces[0]).toMatchObject({ traceId, name: "agent", metadata: { a: 1 } });

    await score([custom({})], { case: { traceId: null } });
    expect(asked).toMatchObject({ reads: 1 });
    expect(asked.traces[2]).toMatchObject({ traceId: null, spans: [], metadata: {}, ...texts });
  });

  test("a semantic condition is one judge call on the payer's account; the judge's reason is the member's", async () => {
    const { asked, score } = build({ judge: (call) => (call === 1 ? { matched: true, reason: "Rude." } : "no_key") });
    const member = pattern([condition("semantic", "is rude")]);
    expect(await score([member])).toEqual([{ goodness: 0, because: null }]);
    expect(await score([member])).toEqual([{ goodness: null, because: "There is no key." }]);
    expect(asked.prompts).toMatchObject(
      Array(2).fill({ projectId: "p", organizationId: "o", prompt: "is rude", text: "Ask my lawyer." }),
    );
  });

  test("a run that replays makes no judge call", async () => {
    const { asked, score } = build();
    const [finding] = await score([pattern([condition("semantic", "is rude")])], { verdictMode: "replay" });
    expect(finding).toEqual({ goodness: null, because: expect.stringContaining("replays") });
    expect(asked.prompts).toEqual([]);
  });

  test("a judge that is briefly unavailable is waited for", async () => {
    const away = new BusError("no_responder", "away", { subject: "s" });
    const { asked, score } = build({ judge: (call) => (call === 1 ? away : { matched: false, reason: null }) });
    expect(await score([pattern([condition("semantic", "is rude")])])).toEqual([{ goodness: 1, because: null }]);
    expect(asked.prompts).toHaveLength(2);
  });

  test("a judge that cannot count its quota for a moment is waited for", async () => {
    const { asked, score } = build({ judge: (call) => (call === 1 ? "uncounted" : { matched: false, reason: null }) });
    expect(await score([pattern([condition("semantic", "is rude")])])).toEqual([{ goodness: 1, because: null }]);
    expect(asked.prompts).toHaveLength(2);
  });

  test("one that fails, or takes longer than the remaining time, does not affect the others", async () => {
    const timeUp = new AbortController();
    const answer: AskEvaluator = async ({ document: { url } }, _, signal) => {
      if (url === "fails") return { failure: { message: "Status 500.", kind: "passing" } };
      if (url === "breaks") throw new Error("a bug");
      if (url === "skips") return { answer: { matches: null, score: null, reason: null, name: null, metadata: null } };
      queueMicrotask(() => timeUp.abort(new Error("time up")));
      return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    };
    const { score } = build({ answer });
    const members = [
      custom({ url: "fails" }),
      custom({ url: "breaks" }),
      custom({ kind: "code", url: "skips" }),
      { ...builtin, definition: { nonsense: true } },
      pattern([condition("contains", "lawyer")]),
    ];
    expect(await score(members)).toEqual([
      { goodness: null, because: "Status 500." },
      { goodness: null, because: "The scorer failed on this result." },
      { goodness: null, because: "The script skips this result." },
      { goodness: null, because: "The scorer failed on this result." },
      { goodness: 0, because: null },
    ]);
    const late = [custom({ url: "hangs" }), pattern([condition("contains", "lawyer")])];
    expect(await score(late, { signal: timeUp.signal })).toEqual([
      { goodness: null, because: "The time for this member was over." },
      { goodness: 0, because: null },
    ]);
  });
});

async function* partOf(stored: object) {
  yield [stored as never];
}

test("members are looked up with their current definitions; missing ones are left out", async () => {
  const own = "019a2f6c-7d1e-7a3b-9c4d-5e6f70819207";
  const document = { name: "Mine", polarity: "proper", conditions: [condition("contains", "a")], severity: "low" };
  const evaluator = { name: "Theirs", kind: "code", script: "s", invertMatch: false, alertBelow: 0.5, sampleRate: 1 };
  const found = await findMembers(
    {
      patterns: { findInParts: () => partOf({ id: own, document }) },
      evaluators: { findInParts: () => partOf({ id: own, document: evaluator }) },
    },
    "p",
    [
      { kind: "pattern", refId: own },
      { kind: "custom", refId: own },
      { kind: "pattern", refId: "pii-in-response" },
      { kind: "custom", refId: "pii-in-response" },
      { kind: "pattern", refId: traceId },
    ],
  );
  expect(found).toMatchObject([
    { kind: "pattern", refId: own, name: "Mine" },
    { kind: "custom", refId: own, name: "Theirs" },
    { kind: "pattern", refId: "pii-in-response", definition: { builtin: "pii-in-response" } },
  ]);
  expect(found[0]?.definition).toEqual({ polarity: "proper", conditions: document.conditions });
  expect(found[1]?.definition).toEqual({ kind: "code", script: "s", invertMatch: false, alertBelow: 0.5 });
});
