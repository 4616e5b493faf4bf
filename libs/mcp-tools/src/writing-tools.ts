import type { addedCases, casePreview, datasetVersionCounts, storedScores } from "@touchstone/contracts";
import { z } from "zod";
import { cut, cutJson } from "./answer.ts";
import { api, defineTool, evaluations, id, type Tool } from "./tool.ts";

const addCasesFromTraces = defineTool({
  name: "add_cases_from_traces",
  description:
    "Make cases of recorded traces and add them to a dataset. Shows them without storing anything unless dryRun is false.",
  input: z.object({ datasetId: id, traceIds: z.array(id).min(1).max(10), dryRun: z.boolean().default(true) }),
  writes: true,
  async run({ datasetId, traceIds, dryRun }, ask) {
    const counts = await ask("GET", `${api}/evaluate/datasets/batch/versions`, { ids: datasetId });
    const { versionCounts } = counts as z.infer<typeof datasetVersionCounts>;
    if (versionCounts[datasetId] === undefined) return { facts: { error: "Dataset not found" } };
    const previews = await Promise.all(
      traceIds.map((traceId) => ask("POST", `${evaluations}/datasets/case-preview`, {}, { traceId })),
    );
    const cases = previews.map((preview) => (preview as z.infer<typeof casePreview>).case);
    const shown = cases.map(({ main_question: main, follow_up_questions: followUps, source }) => ({
      traceId: cut(source.traceId, 100),
      question: cut(main.query, 700),
      expected: cut(main.expectedResults, 500),
      followUps: followUps?.length ?? 0,
    }));
    if (dryRun) return { facts: { dryRun, cases: cases.length }, recorded: shown };
    const path = `${evaluations}/datasets/${encodeURIComponent(datasetId)}/cases`;
    const { added, duplicates, caseCount } = (await ask("POST", path, {}, { cases })) as z.infer<typeof addedCases>;
    const reasons = duplicates?.map(({ index, reason }) => ({ traceId: traceIds[index], reason }));
    return { facts: { dryRun, added, duplicates: reasons, caseCount }, recorded: shown };
  },
});

const addScore = defineTool({
  name: "add_score",
  description: "Give a score to a trace, a step of it, a session or a run. The same id again replaces the score.",
  input: z.object({
    name: z.string().min(1).max(200),
    value: z.union([z.number(), z.string().max(500), z.boolean()]),
    comment: z.string().max(4_000).optional(),
    traceId: id.optional(),
    spanId: id.optional(),
    sessionId: id.optional(),
    runId: id.optional(),
    id: id.optional(),
  }),
  writes: true,
  async run(score, ask) {
    const stored = await ask("POST", `${api}/scores`, {}, { ...score, source: "model", author: "mcp" });
    const [first] = (stored as z.infer<typeof storedScores>).scores;
    return {
      facts: { stored: true },
      recorded: { id: cut(first?.id, 300), name: cut(first?.name, 300), value: cutJson(first?.value, 600) },
    };
  },
});

export const writingTools: readonly Tool[] = [addCasesFromTraces, addScore];
