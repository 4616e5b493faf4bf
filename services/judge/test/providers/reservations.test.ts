import { type LlmReply, type ScriptedLlm, startScriptedLlm } from "@touchstone/testkit";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { JudgeBudgetError } from "../../src/quota/judge-budget.ts";
import { letTimePass, setUpJudge } from "./judge-setup.ts";

let llm: ScriptedLlm;

beforeAll(async () => {
  llm = await startScriptedLlm();
});
beforeEach(() => llm.reset());
afterAll(() => llm.stop());

const down: LlmReply = { kind: "status", status: 503 };

describe("a call is reserved", () => {
  test("for each request that leaves: retries, other shapes of the same question and repairs", async () => {
    const reserveCall = vi.fn(async () => undefined);
    const { judge, clock } = setUpJudge(llm, { reserveCall });
    llm.enqueue(down, { kind: "status", status: 404 }, { kind: "text", text: "no rating" });
    await expect(letTimePass(clock, judge())).resolves.toMatchObject({ status: "scored" });
    expect(llm.requests.map(({ api }) => api)).toEqual(["responses", "responses", "chat", "chat"]);
    expect(reserveCall).toHaveBeenCalledTimes(4);
  });

  test("never for embeddings, nor for a call that an open circuit rejects", async () => {
    const reserveCall = vi.fn(async () => undefined);
    const { judge, clock, provider } = setUpJudge(llm, { reserveCall, retriesMax: 0 });
    const options = { group: "project", signal: new AbortController().signal, deadlineAtMs: Number.POSITIVE_INFINITY };
    await provider.embed(["a", "b"], "text-embedding-3-small", options);
    expect(reserveCall).not.toHaveBeenCalled();

    llm.answerWith(down);
    for (let failure = 0; failure < 5; failure += 1) await judge();
    expect(provider.circuit()).toBe("open");
    await letTimePass(clock, Promise.all([judge(), judge(), judge()]));
    // Five failures and the one probe; the two that waited for it were rejected.
    expect(reserveCall).toHaveBeenCalledTimes(6);
  });

  test("or nothing is sent, which is neither repeated nor counted as a failure of the provider", async () => {
    const reserveCall = vi.fn(async () => {
      throw new JudgeBudgetError("The quota is spent.");
    });
    const { judge, provider, calls } = setUpJudge(llm, { reserveCall });
    for (let call = 0; call < 6; call += 1) {
      expect(await judge()).toMatchObject({
        status: "skipped",
        rating: null,
        reason: "quota",
        justification: "The quota is spent.",
      });
    }
    expect(reserveCall).toHaveBeenCalledTimes(6);
    expect(llm.requests).toHaveLength(0);
    expect(calls).toHaveLength(0);
    expect(provider.circuit()).toBe("closed");
  });
});

test("texts are embedded a few at a time, so that their vectors fit into one reply", async () => {
  const { provider } = setUpJudge(llm, { retriesMax: 0 });
  const options = { group: "project", signal: new AbortController().signal, deadlineAtMs: Number.POSITIVE_INFINITY };
  // All of them are larger than a reply of 1 MiB.
  llm.embedWith(({ body }) => {
    const { input } = body as { input: string[] };
    const data = input.map((text, index) => ({
      ...{ object: "embedding", index },
      embedding: [Number(text), ...new Array<number>(3_000).fill(-0.012345678901234567)],
    }));
    return {
      kind: "status",
      status: 200,
      body: { object: "list", data, model: "m", usage: { prompt_tokens: 1, total_tokens: 1 } },
    };
  });
  const vectors = await provider.embed(
    Array.from({ length: 101 }, (_, index) => String(index)),
    "text-embedding-3-small",
    options,
  );
  expect(vectors.map(([first]) => first)).toEqual(Array.from({ length: 101 }, (_, index) => index));
});
