import { describe, expect, test, vi } from "vitest";
import { createJudgeBudget, JudgeBudgetError, type Payer } from "../../src/quota/judge-budget.ts";
import type { QuotaStore } from "../../src/quota/quota-store.ts";
import { createTestLogger } from "../providers/judge-setup.ts";

const organization: Payer = { kind: "organization", id: "01999999-0000-7000-8000-0000000000aa" };

function setUp(quota: Partial<QuotaStore> = {}, callsPerDay: number | null = 3) {
  const giveBack = vi.fn(async () => undefined);
  const reserve = vi.fn(async (): Promise<string | null> => "2026-01-01");
  const count = vi.fn();
  const budget = createJudgeBudget({
    callsPerDay,
    quota: { reserve, giveBack, ...quota },
    usage: { count, stop: async () => undefined },
    logger: createTestLogger().logger,
  });
  const pay = (payer: Payer = { kind: "instance" }, signal = new AbortController().signal): Promise<void> =>
    budget.reserve({ payer, projectId: "project", signal });
  return { pay, reserve, giveBack, count };
}

describe("a judge call", () => {
  test("is paid for by whom it is made for, and counted for its project", async () => {
    const { pay, reserve, count } = setUp();
    await pay();
    await pay(organization);
    expect(reserve.mock.calls).toEqual([
      ["instance", 3],
      [organization.id, 3],
    ]);
    expect(count.mock.calls).toEqual([["project"], ["project"]]);
  });

  test("beyond an organization's quota is refused in its words, and not counted", async () => {
    const { pay, count } = setUp({ reserve: async () => null });
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

  test("that is given up while it is being reserved is given back, of the day it was taken from", async () => {
    const reserving = Promise.withResolvers<string | null>();
    const { pay, giveBack, count } = setUp({ reserve: () => reserving.promise });
    const leaving = new AbortController();
    const paying = pay(organization, leaving.signal);
    leaving.abort(new Error("time is up"));
    await expect(paying).rejects.toThrow("time is up");
    expect(giveBack).not.toHaveBeenCalled();
    reserving.resolve("2026-01-01");
    await vi.waitFor(() => expect(giveBack.mock.calls).toEqual([[organization.id, "2026-01-01"]]));
    expect(count).not.toHaveBeenCalled();
  });
});
