import { countedProjectsMax, readJudgeDay, readJudgeUsage } from "@touchstone/contracts";
import { type AskJudge, judgeBounds } from "./ask-judge.ts";

/** The owner of a day's judge calls: an organization with its projects or, if null, the installation. */
export type JudgePayer = { organizationId: string; projectIds: readonly string[] } | null;

/** Queries about judge calls; the judge is asked over the bus (decision 28). */
export interface JudgeUsage {
  /** Calls of the last 24 hours by project; projects without any are left out. Throws 503 if no judge answers. */
  readRecent(projectIds: readonly string[]): Promise<Map<string, number>>;
  /** Calls of the current UTC day and the quota. Throws 503 if no judge answers. */
  readDay(payer: JudgePayer): Promise<{ used: number; limit: number | null }>;
}

export function createJudgeUsage(askJudge: AskJudge): JudgeUsage {
  const askUsage = (projectIds: readonly string[]) =>
    askJudge((bus) => bus.request(readJudgeUsage, { projectIds: [...projectIds] }, judgeBounds));
  const askDay = (payer: JudgePayer) =>
    askJudge((bus) =>
      bus.request(
        readJudgeDay,
        { organization: payer && { ...payer, projectIds: [...payer.projectIds] } },
        judgeBounds,
      ),
    );

  return {
    async readRecent(projectIds) {
      const calls = new Map<string, number>();
      for (let from = 0; from < projectIds.length; from += countedProjectsMax) {
        const { projects } = await askUsage(projectIds.slice(from, from + countedProjectsMax));
        for (const project of projects) calls.set(project.projectId, project.calls);
      }
      return calls;
    },
    async readDay(payer) {
      if (payer === null) return askDay(null);
      const { organizationId, projectIds } = payer;
      const day = await askDay({ organizationId, projectIds: projectIds.slice(0, countedProjectsMax) });
      // With a quota the organization is counted as one; without, its projects are added up.
      for (let from = countedProjectsMax; from < projectIds.length && day.limit === null; from += countedProjectsMax) {
        const next = projectIds.slice(from, from + countedProjectsMax);
        day.used += (await askDay({ organizationId, projectIds: next })).used;
      }
      return day;
    },
  };
}
