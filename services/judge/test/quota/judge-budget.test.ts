import { describe, expect, test, vi } from "vitest";
import { createJudgeBudget, JudgeBudgetError, type Payer } from "../../src/quota/judge-budget.ts";
import type { QuotaStore, ReservedCalls } from "../../src/quota/quota-store.ts";
import { createTestLogger } from "../providers/judge-setup.ts";

const day = "2026-01-01";
const organization: Payer = { kind: "organization", id: "01999999-0000-7000-8000-0000000000aa" };

function setUp(quota: Partial<QuotaStore> = {}, callsPerDay: number | null = 3) {
  const release = vi.fn(async () => undefined);
  const reserve = vi.fn(async (_payer: string, wanted: number): Promise<ReservedCalls> => ({ day, calls: wanted }));
  const count = vi.fn();
  const budget = createJudgeBudget({
    callsPerDay,
    quota: { reserve, release, ...quota },
    usage: { count, stop: async () => undefined },
    logger: createTestLogger().logger,
  });
  const pay = (payer: Payer = { kind: "instance" }, signal = new AbortController().signal): Promise<void> =>
    budget.reserve({ payer, projectId: "project", signal });
  return { pay, reserve, release, count };
}

describe("a judge call", () => {
  test("is charged to its payer, and counted for its project", async () => {
    const { pay, reserve, count } = setUp();
    await pay();
    await pay(organization);
    expect(reserve.mock.calls).toEqual([
      ["instance", 1, 3],
      [organization.id, 1, 3],
    ]);
    expect(count.mock.calls).toEqual([["project"], ["project"]]);
  });

  test("beyond an organization's quota is refused in its words, and not counted", async () => {
    const { pay, count } = setUp({ reserve: async () => ({ day: null, calls: 0 }) });
    await expect(pay(organization)).rejects.toEqual(
      new JudgeBudgetError(
        "Daily judge-call quota reached (3/day for this organization). Quota resets at midnight UTC; raise SERVICE_QUOTA_JUDGE_CALLS_PER_DAY to change the ceiling.",
      ),
    );
    expect(count).not.toHaveBeenCalled();
  });

  test("without a limit asks no database", async () => {
    const { pay, reserve, count } = setUp({}, null);
    await pay();
    expect(reserve).not.toHaveBeenCalled();
    expect(count).toHaveBeenCalledOnce();
  });

  test("that is aborted while it is being reserved is released, for the day it was reserved on", async () => {
    const reserving = Promise.withResolvers<ReservedCalls>();
    const { pay, release, count } = setUp({ reserve: () => reserving.promise });
    const leaving = new AbortController();
    const paying = pay(organization, leaving.signal);
    leaving.abort(new Error("time is up"));
    await expect(paying).rejects.toThrow("time is up");
    expect(release).not.toHaveBeenCalled();
    reserving.resolve({ day, calls: 1 });
    await vi.waitFor(() => expect(release.mock.calls).toEqual([[organization.id, day]]));
    expect(count).not.toHaveBeenCalled();
  });

  test("that arrives while others of its payer are being counted is counted with those that arrive meanwhile", async () => {
    const first = Promise.withResolvers<ReservedCalls>();
    const reserve = vi.fn(async (_payer: string, wanted: number): Promise<ReservedCalls> => ({ day, calls: wanted }));
    reserve.mockReturnValueOnce(first.promise);
    const { pay, count } = setUp({ reserve }, 100);
    const paying = [pay(), pay()];
    await vi.waitFor(() => expect(reserve).toHaveBeenCalledOnce());
    const later = Array.from({ length: 30 }, () => pay());
    await pay(organization);
    expect(count).toHaveBeenCalledTimes(1);
    first.resolve({ day, calls: 2 });
    await Promise.all([...paying, ...later]);
    expect(reserve.mock.calls).toEqual([
      ["instance", 2, 100],
      [organization.id, 1, 100],
      ["instance", 30, 100],
    ]);
    expect(count).toHaveBeenCalledTimes(33);
  });

  test("is refused alone where the remaining quota is not enough for all that are counted together", async () => {
    const { pay } = setUp({ reserve: async () => ({ day, calls: 2 }) });
    const outcomes = await Promise.allSettled([pay(), pay(), pay()]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected"]);
  });

  test("fails with those that were counted with it when the database does so for seconds, and later ones do not", async () => {
    const reserve = vi.fn(async (): Promise<ReservedCalls> => ({ day, calls: 1 }));
    for (let attempt = 1; attempt <= 3; attempt += 1) reserve.mockRejectedValueOnce(new Error("away"));
    const { pay } = setUp({ reserve });
    const outcomes = await Promise.allSettled([pay(), pay()]);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    await pay();
  });

  test("is counted when the database is back after a moment", async () => {
    const reserve = vi.fn(async (): Promise<ReservedCalls> => ({ day, calls: 1 }));
    reserve.mockRejectedValueOnce(new Error("away"));
    const { pay } = setUp({ reserve });

    await expect(pay()).resolves.toBeUndefined();
    expect(reserve).toHaveBeenCalledTimes(2);
  });
});
