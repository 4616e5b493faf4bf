import type { Answering, Bus } from "@touchstone/bus";
import { readJudgeUsage } from "@touchstone/contracts";
import type { UsageStore } from "../quota/usage-store.ts";

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
