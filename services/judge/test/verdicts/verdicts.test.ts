import { setImmediate as endOfTurn } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import type { Asked } from "../../src/prompting/ask-for-json.ts";
import type { ParsedVerdict } from "../../src/verdicts/parse-verdict.ts";
import type { FoundVerdict, KeptVerdict, VerdictStore } from "../../src/verdicts/verdict-store.ts";
import { createVerdicts, type VerdictTerms } from "../../src/verdicts/verdicts.ts";
import { buildCase, buildRubric } from "../judge-builders.ts";
import { createTestLogger } from "../providers/judge-setup.ts";

const good: ParsedVerdict = { rating: 8, justification: "Good." };
const route = { model: "gpt-4.1", host: "api.openai.com", api: "responses", price: null } as const;
const subject = { route, rubric: buildRubric(), judged: buildCase() };

/** A record in memory, and its writes, batch by batch. */
function setUp(store: Partial<VerdictStore> = {}, storeWithinMs?: number) {
  const kept = new Map<string, FoundVerdict>();
  const batches: KeptVerdict[][] = [];
  const keyOf = (owner: string, address: Buffer): string => `${owner} ${address.toString("hex")}`;
  const lookUps: string[] = [];
  const verdictNotKept = vi.fn();
  const verdicts = createVerdicts({
    store: {
      find: async (owner, address) => kept.get(keyOf(owner, address)) ?? null,
      keep: async (rows) => {
        batches.push([...rows]);
        for (const { owner, address, answer, record } of rows) {
          const key = keyOf(owner, address);
          if (answer !== null && !kept.has(key)) kept.set(key, { ...answer, verdictId: record?.id ?? null });
        }
      },
      ...store,
    },
    promptVersion: "1",
    logger: createTestLogger().logger,
    observer: { verdictLookedUp: ({ outcome }) => void lookUps.push(outcome), verdictNotKept },
    ...(storeWithinMs !== undefined && { storeWithinMs }),
  });
  return { verdicts, batches, lookUps, verdictNotKept };
}

function terms(changes: Partial<VerdictTerms> = {}): VerdictTerms {
  return {
    mode: "cache",
    group: "project",
    owner: "owner",
    runNumber: 1,
    signal: new AbortController().signal,
    ...changes,
  };
}

/** A judge that answers on command. */
function heldJudge() {
  const calls: PromiseWithResolvers<Asked<ParsedVerdict>>[] = [];
  const ask = (): Promise<Asked<ParsedVerdict>> => {
    const call = Promise.withResolvers<Asked<ParsedVerdict>>();
    calls.push(call);
    return call.promise;
  };
  return { ask, calls };
}

describe("in cache mode", () => {
  test("a request that is already in progress is made once; live and other requests are not delayed", async () => {
    const { verdicts } = setUp();
    const { ask, calls } = heldJudge();
    const same = [1, 2, 3].map(() => verdicts.reach(subject, terms(), ask));
    const others = [terms({ runNumber: 2 }), terms({ owner: "another" }), terms({ mode: "live" })].map((each) =>
      verdicts.reach(subject, each, ask),
    );
    await vi.waitFor(() => expect(calls).toHaveLength(4));
    for (const call of calls) call.resolve({ answer: good, exchange: null });
    expect((await Promise.all(same)).map((reached) => "answer" in reached && reached.source)).toEqual([
      "live",
      "cache",
      "cache",
    ]);
    await Promise.all(others);
    expect(calls).toHaveLength(4);
  });

  test("waiting callers get a failure too, because a retry would fail in the same way", async () => {
    const { verdicts } = setUp();
    const { ask, calls } = heldJudge();
    const both = [1, 2].map(() => verdicts.reach(subject, terms(), ask));
    await vi.waitFor(() => expect(calls).toHaveLength(1));
    calls[0]?.resolve({ skipped: "provider_error", because: "down", exchange: null });
    expect(await Promise.all(both)).toEqual(
      Array(2).fill({ skipped: "provider_error", because: "down", verdictId: null }),
    );
    expect(calls).toHaveLength(1);
  });

  test("a waiting caller makes its own call when the previous one ran out of time", async () => {
    const { verdicts } = setUp();
    const { ask, calls } = heldJudge();
    const [hurried, patient] = [1, 2].map(() => verdicts.reach(subject, terms(), ask));
    await vi.waitFor(() => expect(calls).toHaveLength(1));
    calls[0]?.resolve({ skipped: "timeout", because: "late", exchange: null });
    await vi.waitFor(() => expect(calls).toHaveLength(2));
    calls[1]?.resolve({ answer: good, exchange: null });
    expect(await hurried).toMatchObject({ skipped: "timeout" });
    expect(await patient).toEqual({ answer: good, source: "live", verdictId: null });
  });

  test("a waiting caller gets the record's id, if the record belongs to its project", async () => {
    const { verdicts, batches } = setUp();
    const { ask, calls } = heldJudge();
    const reached = ["project", "project", "another"].map((group) => verdicts.reach(subject, terms({ group }), ask));
    await vi.waitFor(() => expect(calls).toHaveLength(1));
    const tokens = { input: 1, output: 1, cacheRead: null, cacheWrite: null };
    const exchange = { instructions: "", prompt: "?", reply: "!", questions: 1, tokens, latencyMs: 1 };
    calls[0]?.resolve({ answer: good, exchange });
    const told = await Promise.all(reached);
    const verdictId = batches[0]?.[0]?.record?.id;
    expect(told).toMatchObject([{ verdictId }, { verdictId }, { verdictId: null }]);
    expect(verdictId).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("a waiting caller leaves at its own deadline", async () => {
    const { verdicts } = setUp();
    const { ask, calls } = heldJudge();
    const first = verdicts.reach(subject, terms(), ask);
    const leaving = new AbortController();
    const second = verdicts.reach(subject, terms({ signal: leaving.signal }), ask);
    await vi.waitFor(() => expect(calls).toHaveLength(1));
    leaving.abort(new Error("time is up"));
    expect(await second).toMatchObject({ skipped: "timeout" });
    calls[0]?.resolve({ answer: good, exchange: null });
    expect(await first).toMatchObject({ source: "live" });
  });
});

describe("the record", () => {
  test("is written in batches: requests of one turn together, and those that arrive during a write", async () => {
    const first = Promise.withResolvers<void>();
    const sizes: number[] = [];
    const { verdicts } = setUp({
      keep: async (rows) => {
        sizes.push(rows.length);
        if (sizes.length === 1) await first.promise;
      },
    });
    const judge = (runNumber: number) =>
      verdicts.reach(subject, terms({ mode: "live", runNumber }), async () => ({ answer: good, exchange: null }));
    const judged = [1, 2].map(judge);
    await vi.waitFor(() => expect(sizes).toEqual([2]));
    judged.push(...[3, 4, 5].map(judge));
    await endOfTurn();
    first.resolve();
    await Promise.all(judged);
    expect(sizes).toEqual([2, 3]);
  });

  test("that hangs delays no request beyond its time limit", async () => {
    const hang = (): Promise<never> => new Promise(() => undefined);
    const { verdicts, lookUps, verdictNotKept } = setUp({ find: hang, keep: hang }, 20);
    const ask = async (): Promise<Asked<ParsedVerdict>> => ({ answer: good, exchange: null });
    expect(await verdicts.reach(subject, terms({ mode: "live" }), ask)).toEqual({
      answer: good,
      source: "live",
      verdictId: null,
    });
    expect(await verdicts.reach(subject, terms(), ask)).toEqual({ answer: good, source: "live", verdictId: null });
    expect(await verdicts.reach(subject, terms({ mode: "replay" }), ask)).toMatchObject({ skipped: "provider_error" });
    expect(lookUps).toEqual(["unavailable", "unavailable"]);
    expect(verdictNotKept).toHaveBeenCalledTimes(2);
  });

  test("receives only ratings", async () => {
    const { verdicts, batches } = setUp();
    await verdicts.reach(subject, terms({ mode: "live" }), async () => ({
      skipped: "quota",
      because: "spent",
      exchange: null,
    }));
    expect(batches).toEqual([]);
  });
});
