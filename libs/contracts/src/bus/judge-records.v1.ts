import { z } from "zod";
import { verdictRecord } from "../http/verdicts.ts";
import { defineRequest } from "./define.ts";

/** The record behind a verdict; null = the project has no such record, or no longer. */
export const readVerdictRecord = defineRequest({
  subject: "svc.judge.read-verdict-record.v1",
  askedBy: ["gateway"],
  answeredBy: "judge",
  body: z.object({ projectId: z.uuid(), verdictId: z.uuid() }),
  reply: z.object({ verdict: verdictRecord.nullable() }),
});
