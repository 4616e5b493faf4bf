import { z } from "zod";
import { countedProjectsMax } from "../http/usage.ts";
import { defineRequest } from "./define.ts";

const count = z.number().int().nonnegative();
const projectIds = z.array(z.uuid()).max(countedProjectsMax);

/**
 * Judge calls of projects in the last 24 hours, by the hour: the current one and the 23 before it. A project without
 * any may be missing. Calls of the last seconds may be missing, too.
 */
export const readJudgeUsage = defineRequest({
  subject: "svc.judge.read-usage.v1",
  askedBy: ["gateway"],
  answeredBy: "judge",
  body: z.object({ projectIds }),
  reply: z.object({ projects: z.array(z.object({ projectId: z.uuid(), calls: count })) }),
});

/**
 * A payer's use of the judge-call quota on the current UTC day. A payer is an organization with all its projects, or,
 * with null, the installation. Without a quota the calls of this day's hours are added up.
 */
export const readJudgeDay = defineRequest({
  subject: "svc.judge.read-day.v1",
  askedBy: ["gateway"],
  answeredBy: "judge",
  body: z.object({ organization: z.object({ organizationId: z.uuid(), projectIds }).nullable() }),
  reply: z.object({
    used: count,
    /** Null: unlimited. */
    limit: z.number().int().nullable(),
  }),
});
