import type { Answering, Bus } from "@touchstone/bus";
import { readJudgeDay, readJudgeUsage } from "@touchstone/contracts";
import type { QuotaStore } from "./quota-store.ts";
import type { UsageStore } from "./usage-store.ts";

interface ReadDayDependencies {
  usage: Pick<UsageStore, "readTodaysCalls">;
  quota: Pick<QuotaStore, "readToday">;
  /** Null = no limit: the quota counts nothing then, and the usage is summed up. */
  callsPerDay: number | null;
}

/** Answers `svc.judge.read-day.v1`: a payer's usage of the day's judge calls (completions 1.4). */
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

/** Answers `svc.judge.read-usage.v1`: judge calls of projects in the last 24 hours (completions 12.5). */
export function answerReadUsage(
  bus: Bus,
  { usage }: { usage: Pick<UsageStore, "readRecentCalls"> },
  options: { concurrency: number },
): Promise<Answering> {
  return bus.answer(
    readJudgeUsage,
    async ({ projectIds }) => ({ projects: await usage.readRecentCalls(projectIds) }),
    options,
  );
}
