import type { Answering, Bus } from "@touchstone/bus";
import { readJudgeDay } from "@touchstone/contracts";
import type { QuotaStore } from "../quota/quota-store.ts";
import type { UsageStore } from "../quota/usage-store.ts";

export interface ReadDayDependencies {
  usage: Pick<UsageStore, "readTodaysCalls">;
  quota: Pick<QuotaStore, "readToday">;
  /** Null = no limit: the quota counts nothing then, and the usage is added up. */
  callsPerDay: number | null;
}

/** Answers `svc.judge.read-day.v1`: what a payer used of the day's judge calls (completions 1.4). */
export function answerReadDay(
  bus: Bus,
  { usage, quota, callsPerDay }: ReadDayDependencies,
  options: { concurrency: number },
): Promise<Answering> {
  return bus.answer(
    readJudgeDay,
    async ({ organization }) => ({
      used:
        callsPerDay === null
          ? await usage.readTodaysCalls(organization?.projectIds ?? null)
          : await quota.readToday(organization?.organizationId ?? "instance"),
      limit: callsPerDay,
    }),
    options,
  );
}
